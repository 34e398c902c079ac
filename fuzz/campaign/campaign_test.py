# SPDX-License-Identifier: Apache-2.0
"""Campaigns of small programs that print like libFuzzer, crash, hang, or die. campaign_test.py TILEPROOF [CLASS..]

The programs are shell scripts that begin with testdata/fake_target.sh. Inputs of `algebra` and `hlo_index` are choices, so that these
have no seeds, and a campaign has no notes of its own about them.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = ''
GOOD = 'starts; sleep 0.1; ends\n'
KEEPS_ALL = '[ $mode = merge ] && keep kept/*\n'
# Fails for the input x alone, which cannot be made smaller.
FAILS = '[ $mode = minimise ] && exit 0\nstarts; fail x '


class CampaignTest(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.folder, self.programs, self.seeds = (os.path.join(self.root, name) for name in ('corpus', 'bin', 'seeds'))
        os.mkdir(self.programs)
        os.mkdir(self.seeds)
        self.targets = []

    def add(self, name, script, merge=KEEPS_ALL):
        """Adds a target whose program is the prelude, the merge and the script, or replaces its program."""
        path = os.path.join(self.programs, name + '_fuzzer')
        with open(path, 'w') as out:
            out.write(f'#!/bin/sh\n. {HERE}/testdata/fake_target.sh\n{merge}{script}')
        os.chmod(path, 0o755)
        if name not in self.targets:
            self.targets.append(name)

    def seed(self, name, text):
        path = os.path.join(self.seeds, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as out:
            out.write(text)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def content(self, *names):
        with open(self.path(*names)) as file:
            return file.read()

    def waits(self, target, name, text):
        """Leaves a failing input that nobody looked at."""
        os.makedirs(self.path(target, 'found'), exist_ok=True)
        with open(self.path(target, 'found', name), 'w') as out:
            out.write(text)

    def line(self, *options, seconds='3s'):
        return [PROGRAM, 'fuzz', *self.targets, '--time', seconds, '--corpus', self.folder, '--programs', self.programs,
                '--seeds', self.seeds, *options]

    def campaign(self, seconds='3s', jobs=2):
        """The report of a campaign as JSON. Its status is the exit status."""
        done = subprocess.run(self.line('--json', '--jobs', str(jobs), seconds=seconds), capture_output=True, text=True)
        report = json.loads(done.stdout)
        self.assertEqual(report['status'], done.returncode, done.stderr)
        report['happened'] = done.stderr
        report['targets'] = {one['target']: one for one in report['targets']}
        return report

    def text(self, *options, seconds='3s'):
        """What a campaign prints, to both outputs, and its status."""
        done = subprocess.run(self.line(*options, seconds=seconds), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout, done.returncode

    def only_finding(self, report):
        self.assertEqual(len(report['findings']), 1, report)
        return report['findings'][0]

    def assert_noted(self, report, pattern):
        self.assertRegex('\n'.join(report['notes']), pattern)


def causes(report):
    return {finding['cause'] for finding in report['findings']}


class Campaigns(CampaignTest):
    """A campaign divides its time, keeps its inputs, and goes on after any failure."""

    def test_runs_every_target_and_finds_nothing(self):
        self.add('algebra', GOOD)
        self.add('hlo_index', GOOD)
        report = self.campaign()
        for target in report['targets'].values():
            self.assertGreaterEqual(target['executions'], 100)
            self.assertEqual(target['edges'], 10)
        self.assertEqual(report['notes'], [])
        self.assertEqual(report['status'], 0)

    def test_gives_up_a_target_that_dies_at_start_and_goes_on(self):
        self.add('algebra', 'echo cannot open shared object >&2; exit 127\n')
        self.add('hlo_index', GOOD)
        self.targets.append('layout_convert')
        report = self.campaign()
        self.assertIn('before its first input, with status 127: cannot open', report['targets']['algebra']['left'])
        self.assertGreaterEqual(report['targets']['hlo_index']['executions'], 100)
        self.assertIn('there is no program', report['targets']['layout_convert']['left'])
        self.assertEqual(report['status'], 2)

    def test_a_target_that_hangs_does_not_use_the_time_of_others(self):
        self.add('algebra', 'sleep 1000\n')
        self.add('layout_convert', "trap '' INT TERM; while :; do sleep 1; done\n")
        self.add('hlo_index', GOOD)
        report = self.campaign(jobs=3)
        self.assertGreaterEqual(report['targets']['hlo_index']['executions'], 100)
        self.assert_noted(report, 'algebra: there was no time for a run')

    def test_ends_in_time_if_programs_never_end(self):
        self.add('algebra', "trap '' INT TERM; starts; while :; do sleep 1; done\n")
        self.add('hlo_index', 'starts; while :; do echo what it says; done\n')
        begin = time.monotonic()
        report = self.campaign()
        took = time.monotonic() - begin
        self.assertLess(took, 30)  # ten times its time
        self.assertGreater(took, 1.5)
        self.assertGreaterEqual(took * 1000, report['milliseconds'])
        self.assertFalse(report['interrupted'])

    def test_lack_of_memory_is_a_finding_and_others_go_on(self):
        self.add('shape_text', '[ $mode = minimise ] && touch minimised\n'
                 'starts; [ $mode = slice ] && printf large > ${prefix}oom-large\n'
                 'echo "==1== ERROR: libFuzzer: out-of-memory (used: $((limit + 1))Mb; limit: ${limit}Mb)"\n'
                 "echo '    #1 0x1 in tileproof::impl::simplify(int) /a/simplify.cc:1:2'\n"
                 "echo \"artifact_prefix='$prefix'; Test unit written to ${prefix}oom-large\"\n"
                 'exit 71\n')
        self.add('hlo_index', GOOD)
        report = self.campaign()
        finding = self.only_finding(report)
        self.assertEqual(finding['target'], 'shape_text')
        self.assertEqual(finding['cause'], 'out-of-memory in tileproof::impl::simplify')
        self.assertIn('used: 2049Mb; limit: 2048Mb', finding['line'])
        self.assertEqual(self.content('shape_text', 'findings', finding['key']), 'large')
        self.assertFalse(os.path.exists(self.path('shape_text', 'minimised')))
        self.assertNotIn('left', report['targets']['shape_text'])
        self.assertGreaterEqual(report['targets']['hlo_index']['executions'], 100)
        self.assertEqual(report['status'], 1)

    def test_a_killed_program_is_a_note_and_others_go_on(self):
        self.add('algebra', 'starts; sleep 0.1; kill -9 $$\n')
        self.add('hlo_index', GOOD)
        report = self.campaign()
        self.assert_noted(report, 'algebra: ended with ')
        self.assertEqual(report['findings'], [])
        self.assertGreaterEqual(report['targets']['hlo_index']['executions'], 100)

    def test_a_short_campaign_starts_with_the_target_whose_turn_was_longest_ago(self):
        said = os.path.join(self.root, 'said')
        for name in ('algebra', 'hlo_index'):
            self.add(name, f'[ $mode = slice ] && echo {name} >> {said}\nstarts; sleep 2.5; ends\n')
        self.campaign(seconds='2s', jobs=1)
        with open(said) as file:
            self.assertEqual(file.read(), 'algebra\n')
        self.campaign(seconds='2s', jobs=1)
        with open(said) as file:
            self.assertEqual(file.read().split()[1], 'hlo_index')

    def test_a_missing_file_of_seeds_is_a_note(self):
        self.add('layout', GOOD)
        report = self.campaign()
        self.assertGreaterEqual(report['targets']['layout']['executions'], 100)
        self.assert_noted(report, 'no seeds in')

    # A job that keeps three inputs.
    KEEPS_THREE = 'for i in 1 2 3; do echo $i > $first/n$i; done; starts; sleep 0.1; ends\n'

    def test_minimizes_the_kept_inputs(self):
        self.add('algebra', self.KEEPS_THREE, '[ $mode = merge ] && keep kept/n1 kept/n2\n')
        report = self.campaign()
        self.assertEqual(report['targets']['algebra']['inputs'], 2)
        self.assertEqual(report['targets']['algebra']['edges'], 10)
        self.assertTrue(os.path.exists(self.path('algebra', 'kept', 'n1')))
        self.assertEqual(report['notes'], [])

    def test_a_merge_that_fails_keeps_the_inputs(self):
        self.add('algebra', self.KEEPS_THREE, "[ $mode = merge ] && { cp kept/n1 \"$first\"; echo 'No such file: n7'; exit 1; }\n")
        self.add('hlo_index', self.KEEPS_THREE, '[ $mode = merge ] && exit 0\n')
        report = self.campaign()
        self.assertEqual(report['targets']['algebra']['inputs'], 4)
        self.assertEqual(report['targets']['hlo_index']['inputs'], 4)
        self.assert_noted(report, 'could not be minimized: status 1: No such file: n7')
        self.assert_noted(report, 'could not be minimized: nothing was written')

    def test_loses_no_finding_when_killed_at_any_moment(self):
        # Each run keeps an input and fails in one of three ways, after it recorded this in its own file.
        said = os.path.join(self.root, 'said')
        self.add('algebra', '[ $mode = replay ] && fail "$(cat $first)" way$(cut -c1 $first)\n'
                 'if [ $mode = minimise ]; then sleep 0.05; exit 0; fi\n'
                 'starts; way=$(($$ % 3)); case $way in 0) n=a;; 1) n=b;; *) n=c;; esac\n'
                 'echo $$ > $first/kept$$\n'
                 "printf '%s' \"$n$$\" > \"${prefix}crash-$n$$\"\n"
                 f'echo kept$$ way$n >> {said}\n'
                 'fail $n$$ way$n\n')
        for i in range(10):
            running = subprocess.Popen(self.line(seconds='60s'), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep((100 + 137 * i % 700) / 1000)
            running.kill()
            self.assertEqual(running.wait(), -signal.SIGKILL, 'ended by itself')
        report = self.campaign(seconds='6s')
        with open(said) as file:
            runs = [line.split() for line in file]
        for kept, way in runs:
            self.assertTrue(os.path.exists(self.path('algebra', 'kept', kept)), kept)
            self.assertIn('FOUND: ' + way, causes(report))
        self.assertGreater(len(runs), 3)
        self.assertEqual(report['waiting'], 0)

    def test_one_campaign_at_a_time_in_a_folder(self):
        self.add('algebra', GOOD)
        with subprocess.Popen(self.line(seconds='60s'), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            while not os.path.exists(self.path('algebra')):
                time.sleep(0.05)
            output, status = self.text()
            running.kill()
        self.assertIn('another campaign', output)
        self.assertEqual(status, 2)

    def test_a_signal_ends_it_cleanly(self):
        self.add('algebra', 'starts; sleep 1000\n')
        with subprocess.Popen(self.line('--json', seconds='10m'), stdout=subprocess.PIPE, text=True) as running:
            while not os.path.exists(self.path('algebra', 'kept', 'started')):
                time.sleep(0.05)
            running.terminate()
            report = json.loads(running.communicate(timeout=60)[0])
        self.assertTrue(report['interrupted'])


class Findings(CampaignTest):
    """Failing inputs: one finding per cause, minimized, until it no longer fails."""

    def test_failures_of_one_cause_are_one_finding(self):
        self.add('algebra', "starts; fail i$$ 'wrong map'\n")
        report = self.campaign()
        finding = self.only_finding(report)
        self.assertEqual(finding['cause'], 'FOUND: wrong map')
        self.assertGreater(finding['count'], 1)
        self.assertLessEqual(len(os.listdir(self.path('algebra', 'found', finding['key']))), 20)
        self.assertEqual(report['status'], 1)
        self.assertIn('algebra: FOUND: wrong map', report['happened'])

    def test_a_finding_of_another_target_does_not_fail_a_campaign(self):
        self.add('algebra', "starts; fail x 'wrong map'\n")
        self.assertIn('is a bug of Tileproof', self.text(seconds='2s')[0])
        self.targets = []
        self.add('hlo_index', GOOD)
        output, status = self.text(seconds='2s')
        self.assertEqual(status, 0)
        self.assertIn('nothing found', output)
        self.assertNotIn('wrong map', output)
        self.targets = []
        self.add('algebra', FAILS.replace('starts;', '[ $mode = slice ] && { starts; sleep 0.1; ends; };') + "'wrong map'\n")
        self.assertEqual(causes(self.campaign(seconds='2s')), {'FOUND: wrong map'})  # it is run again

    def test_minimizes_a_finding_and_writes_it_as_a_regression(self):
        # Fails for every input that contains x; the smallest is x.
        self.add('layout', "if [ $mode = slice ]; then starts; fail aaxaa 'has x'; fi\n"
                 'if [ $mode = minimise ]; then printf x > $exact; exit 0; fi\n'
                 "grep -q x $first && fail \"$(cat $first)\" 'has x'; exit 0\n")
        finding = self.only_finding(self.campaign())
        self.assertTrue(finding['minimised'])
        self.assertEqual(self.content('layout', 'findings', finding['key']), 'x')
        with open(finding['regression']) as file:
            regression = file.read()
        self.assertIn('\nx\n', regression)
        self.assertIn('# Belongs into corpus/layouts/regressions.txt\n', regression)
        replay = f"{self.programs}/layout_fuzzer {self.path('layout', 'findings', finding['key'])}"
        self.assertEqual(finding['replay'], replay)
        self.assertIn('# Replay: ' + replay, regression)
        self.assertEqual(subprocess.run(replay, shell=True, stdout=subprocess.DEVNULL).returncode, 77)
        self.assertEqual(finding['ask'], "tileproof prove 'x'")

    def test_a_smaller_input_of_another_cause_is_another_finding(self):
        self.add('algebra', "if [ $mode = slice ]; then starts; fail aaxaa 'has x'; fi\n"
                 'if [ $mode = minimise ]; then printf y > $exact; exit 0; fi\n'
                 "grep -q x $first && fail \"$(cat $first)\" 'has x'\n"
                 "grep -q y $first && fail \"$(cat $first)\" 'has y'; exit 0\n")
        report = self.campaign()
        self.assertEqual(causes(report), {'FOUND: has x', 'FOUND: has y'})
        self.assertEqual(self.content('algebra', 'findings', report['findings'][0]['key']), 'aaxaa')

    TIMEOUT = ("printf slow > ${prefix}timeout-slow\n"
               "echo '==1== ERROR: libFuzzer: timeout after 2 seconds'\n"
               "echo '    #1 0x1 in tileproof::simplify(int) /a/simplify.cc:1:2'\n"
               "echo \"artifact_prefix='$prefix'; Test unit written to ${prefix}timeout-slow\"\n"
               "exit 70\n")

    def test_a_timeout_that_does_not_repeat_is_no_finding(self):
        self.add('algebra', 'starts; [ $mode = slice ] || exit 0\n[ -e timed ] && { sleep 0.1; ends; }\ntouch timed\n' + self.TIMEOUT)
        report = self.campaign()
        self.assertEqual(report['findings'], [])
        self.assert_noted(report, 'algebra: run again, timeout-slow does not fail')
        self.assertEqual(report['status'], 0)

    def test_a_timeout_that_repeats_is_a_finding(self):
        self.add('algebra', 'starts\n[ $mode = merge ] && exit 0\n' + self.TIMEOUT)
        report = self.campaign()
        self.only_finding(report)
        self.assertEqual(report['status'], 1)

    def test_a_finding_that_no_longer_fails_is_gone(self):
        self.add('algebra', "starts; fail x 'was wrong'\n")
        regression = self.only_finding(self.campaign())['regression']
        self.add('algebra', GOOD)
        report = self.campaign()
        self.assertEqual(report['findings'], [])
        self.assert_noted(report, 'algebra: no longer fails: ' + re.escape(regression))
        self.assertEqual(report['status'], 0)
        self.assertEqual(self.campaign()['notes'], [])

    # Ways in which a program ends before it runs its input.
    DYING = ('echo cannot open shared object >&2; exit 127\n',
             '[ $mode = replay ] && kill -9 $$\nstarts; sleep 0.1; ends\n')

    def test_a_finding_stays_if_its_program_dies_in_the_replay(self):
        for dying in self.DYING:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.add('algebra', FAILS + "'was wrong'\n")
            self.campaign(seconds='2s')
            self.add('algebra', dying)
            report = self.campaign(seconds='2s')
            self.assertEqual(report['waiting'], 1, dying)
            self.assertEqual(report['status'], 1, dying)
            self.assert_noted(report, 'algebra: run again, it ended with ')
            self.add('algebra', FAILS + "'was wrong'\n")
            self.assertEqual(causes(self.campaign(seconds='2s')), {'FOUND: was wrong'}, dying)

    def test_a_failing_input_waits_if_its_program_dies_in_the_replay(self):
        self.waits('algebra', 'crash-1', 'one')
        for dying in self.DYING:
            self.add('algebra', dying)
            report = self.campaign()
            self.assertTrue(os.path.exists(self.path('algebra', 'found', 'crash-1')), dying)
            self.assertEqual(report['waiting'], 1, dying)
            self.assertEqual(report['status'], 1, dying)
            self.assert_noted(report, 'algebra: run again, it ended with ')

    def test_an_input_that_no_longer_fails_is_set_aside(self):
        self.waits('algebra', 'crash-1', 'one')
        self.add('algebra', GOOD)
        report = self.campaign()
        self.assertTrue(os.path.exists(self.path('algebra', 'aside', 'crash-1')))
        self.assertEqual(report['waiting'], 0)
        self.assertEqual(report['status'], 0)

    def test_a_finding_that_fails_for_another_cause_is_another_finding(self):
        self.add('algebra', FAILS + "'first bug'\n")
        self.campaign(seconds='2s')
        self.add('algebra', '[ $mode = minimise ] && exit 0\n'
                 "[ $mode = replay ] && fail \"$(cat $first)\" 'second bug'\nstarts; sleep 0.1; ends\n")
        for again in range(2):
            report = self.campaign(seconds='2s')
            finding = self.only_finding(report)
            self.assertEqual(finding['cause'], 'FOUND: second bug')
            self.assertEqual(self.content('algebra', 'findings', finding['key']), 'x')
            self.assertEqual(report['status'], 1)
            self.assertEqual('no longer fails' in ''.join(report['notes']), again == 0)

    def test_a_finding_is_gone_if_none_of_its_inputs_fails(self):
        self.waits('algebra', 'crash-1', 'first')
        self.waits('algebra', 'crash-2', 'other')
        self.add('algebra', '[ $mode = minimise ] && exit 0\n'
                 "[ $mode = replay ] && fail \"$(cat $first)\" 'wrong'\nstarts; sleep 0.1; ends\n")
        self.assertEqual(self.only_finding(self.campaign())['count'], 2)
        rest = 'starts; sleep 0.1; ends\n'
        self.add('algebra', '[ $mode = minimise ] && exit 0\n'
                 "[ $mode = replay ] && grep -q other $first && fail other 'wrong'\n" + rest)
        report = self.campaign()
        finding = self.only_finding(report)
        self.assertEqual(self.content('algebra', 'findings', finding['key']), 'other')
        self.assertEqual(report['status'], 1)
        self.add('algebra', rest)
        report = self.campaign()
        self.assertEqual(report['findings'], [])
        self.assert_noted(report, 'no longer fails')

    def test_a_cause_that_fails_again_gets_the_failing_input(self):
        self.add('algebra', FAILS + "'wrong'\n")
        self.campaign(seconds='2s')
        y_fails = ('[ $mode = minimise ] && exit 0\n'
                   "[ $mode = replay ] && { grep -q y $first && fail y 'wrong'; exit 0; }\nstarts; ")
        self.add('algebra', y_fails + 'sleep 0.1; ends\n')
        self.assertEqual(self.campaign(seconds='2s')['findings'], [])
        self.add('algebra', y_fails + "fail y 'wrong'\n")
        finding = self.only_finding(self.campaign(seconds='2s'))
        self.assertEqual(self.content('algebra', 'findings', finding['key']), 'y')
        self.assertEqual(self.campaign(seconds='2s')['status'], 1)

    def test_the_next_campaign_files_a_failure_of_a_killed_one(self):
        self.waits('algebra', 'crash-1', 'one')
        self.add('algebra', "[ $mode = replay ] && fail \"$(cat $first)\" 'left behind'\n"
                 '[ $mode = minimise ] && exit 0\nstarts; sleep 0.1; ends\n')
        report = self.campaign()
        finding = self.only_finding(report)
        self.assertEqual(finding['cause'], 'FOUND: left behind')
        self.assertTrue(os.path.exists(self.path('algebra', 'found', finding['key'], 'crash-1')))
        self.assertEqual(report['waiting'], 0)

    def test_a_report_is_readable_whatever_a_target_prints(self):
        self.add('algebra', "starts; printf 'FOUND: \\377\\001 {\"\\n'; exit 77\n")
        self.assertEqual(self.only_finding(self.campaign())['line'], 'FOUND: \\xff\\x01 {"')


class Program(CampaignTest):
    """What the program prints, and the commands that ask the question of a target."""

    def test_goes_on_with_a_full_disk_and_prints_its_findings(self):
        self.add('layout', "starts 2>/dev/null; fail f32x 'wrong' 2>/dev/null\n")
        self.add('shape_text', GOOD)
        done = subprocess.run(['sh', '-c', 'ulimit -f 0; exec "$@" 2>&1', 'sh', *self.line('--jobs', '2', seconds='4s')],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout)
        for line in ("FOUND: wrong: 'f32x' at 7", 'cannot write', 'the campaign goes on without a record', 'shape_text: ', '1 finding\n'):
            self.assertIn(line, done.stdout)

    def test_prints_no_progress_to_a_pipe_and_writes_a_page(self):
        self.add('layout', GOOD)
        for name in ('regressions.txt', 'real.txt'):
            self.seed('layouts/' + name, 'f32[3]\n')
        page = os.path.join(self.root, 'page.html')
        done = subprocess.run(self.line('--json', '--html', page), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        json.loads(done.stdout)
        self.assertTrue(os.path.exists(page))
        self.assertEqual(subprocess.run([PROGRAM, 'fuzz', 'nosuch'], stderr=subprocess.DEVNULL).returncode, 2)

    def test_pages_are_self_contained(self):
        self.add('algebra', "starts; fail '<x>' '<wrong>'\n")
        page = os.path.join(self.root, 'page.html')
        self.assertEqual(self.text('--html', page)[1], 1)
        with open(page) as file:
            html = file.read()
        self.assertIn('&lt;wrong&gt;', html)
        self.assertNotIn('<wrong>', html)
        self.assertNotIn('http', html)

    def test_prints_progress_to_a_terminal(self):
        self.add('layout', "starts; echo $$ > $first/$$; printf '#70\\tNEW    cov: 12 ft: 25 corp: 2/2b\\n'; sleep 1\n"
                 '[ -e failed ] && { rm failed; ends; }; [ $mode = slice ] && touch failed; fail x wrong\n')
        done = subprocess.run(['script', '-qec', ' '.join(self.line(seconds='6s')), '/dev/null'], capture_output=True, text=True)
        number = '([0-9]+)'
        lines = re.findall(f'{number}s left, {number} runs, ([0-9]+)/s, {number} features \\(\\+{number}\\), '
                           f'{number} new inputs?, {number} findings?: ([a-z_ ]*)', done.stdout)
        self.assertGreater(len(lines), 3, done.stdout)
        *numbers, _ = zip(*lines)
        left, runs, speed, features, new_features, new_inputs, findings = ([int(one) for one in column] for column in numbers)
        self.assertEqual(left, sorted(left, reverse=True))
        for column in (runs, new_inputs, findings):
            self.assertEqual(column, sorted(column))
        self.assertGreater(max(speed), 0)
        self.assertEqual((features[-1], new_features[-1] >= 5, new_inputs[-1] > 0, findings[-1]), (25, True, True, 1))
        self.assertIn('layout', [what for *_, what in lines])

    def show(self, target, content):
        path = os.path.join(self.root, 'input')
        with open(path, 'wb') as out:
            out.write(content)
        return subprocess.run([PROGRAM, 'fuzz', target, '--show', path], capture_output=True, text=True).stdout

    JUDGED = '; tileproof respond <<< "$r" | tileproof judge --requests <(cat <<< "$r") --answers -\n'
    COMMANDS = [
        ('shape_text', 'f32[3]{0}', "tileproof layout 'f32[3]{0}'\n"),
        ('layout', 'f32[3]', "tileproof prove 'f32[3]'\n"),
        ('map_parse', '() -> (1)', "tileproof simplify '() -> (1)'\n"),
        ('map_equal', '() -> (1)\n() -> (2)', "tileproof equiv '() -> (1)' '() -> (2)'\n"),
        ('shape_text', 'a\'b\n\x01', "tileproof layout $'a\\'b\\n\\001'\n"),
        ('protocol', '{"a":"\\n"}', "tileproof respond <<< '{\"a\":\"\\n\"}'\n"),
        # Texts that look like options or files go to standard input.
        ('shape_text', '-x', "tileproof layout - <<< '-x'\n"),
        ('hlo_text', '@x', "tileproof map - <<< '@x'\n"),
        # Questions without a command are judged requests.
        ('map_simplify', '() -> (1)', 'r=\'{"id":1,"op":"map.simplify","map":"() -> (1)"}\'' + JUDGED),
        ('map_compose', '() -> (1)\n(d0) -> (d0), domain: d0 in [0, 1]',
         'r=\'{"id":1,"op":"map.compose","first":"() -> (1)","second":"(d0) -> (d0), domain: d0 in [0, 1]"}\'' + JUDGED),
        ('hlo_uses', 'r = f32[] negate(\n)',
         'r=\'{"id":1,"op":"hlo.utilization","hlo":"r = f32[] negate(\\n)","scope":"computation"}\'' + JUDGED),
    ]

    def test_prints_an_input_as_a_command(self):
        for target, text, command in self.COMMANDS:
            self.assertEqual(self.show(target, text.encode()), command)
        self.assertIn("tileproof map --verify --direction $direction $'HloModule", self.show('hlo_computation', b'abc'))
        self.assertTrue(self.show('algebra', b'').startswith("tileproof algebra laws 'A = ("))
        self.assertEqual(subprocess.run([PROGRAM, 'fuzz', 'layout', '--show', '/nowhere'], stderr=subprocess.DEVNULL).returncode, 2)

    MAP = ('(d0, d1)[s0] -> (d0 * 8 + s0, (-d1) mod 2), domain: d0 in [0, 9], d1 in [0, 3], s0 in [0, 7]')
    AFTER = '(d0, d1)[s0] -> (d0 floordiv 8 + s0, d1), domain: d0 in [0, 79], d1 in [0, 1], s0 in [0, 1]'
    MODULE = ('HloModule m\n\nENTRY e {\n  p = f32[4,6] parameter(0)\n  i = s32[] parameter(1)\n'
              '  ROOT d = f32[2,6] dynamic-slice(p, i, i), dynamic_slice_sizes={2,6}\n}\n')
    CHOICES = [b'', *(bytes((7 * k * k + 13 * size) % 256 for k in range(size)) for size in (20, 60, 120))]
    # What the command of an input prints, for one input at least.
    ANSWERS = {
        'shape_text': ('offset ', [b'f32[3,5]{1,0:T(2,2)}']),
        'layout': ('proven ', [b'bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}', b'pred[]']),
        'layout_convert': ('equal: the same offset for every index', CHOICES),
        'relayout': ('copy runs of 128 elements', [b'f32[16,256]{1,0}\nf32[16,256]{1,0:T(8,128)}']),
        'nested': ('cosize ', [b'((4,2),(4,3)):((4,16),(1,32))', b'zN:f16[64,96]']),
        'algebra': ('same-as-reference-composition: holds', CHOICES),
        'map_parse': (' -> ', [MAP.encode()]),
        'mlir_text': ('line 1: ', [b'#map = affine_map<(d0) -> (d0)>\nmemref<4xf32, #map>', b'memref<4x8xf32>']),
        'map_simplify': ('map.simplify: 1 pass', [MAP.encode(), AFTER.encode()]),
        'map_compose': ('map.compose: 1 pass', [f'{MAP}\n{AFTER}'.encode()]),
        'map_equal': ('equal: ', [f'{MAP}\n{AFTER}'.encode(), f'{MAP}\n{MAP}'.encode()]),
        'map_uses': ('becomes ', [MAP.encode(), AFTER.encode()]),
        'hlo_text': ('operand 0', [MODULE.encode()]),
        'stablehlo_text': ('operand 0', [
            b'func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {\n'
            b'  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n  return %0 : tensor<3x2xf32>\n}']),
        'hlo_proto': ('operand 0', [
            b'computations {\n  name: "e" id: 1 root_id: 2\n'
            b'  instructions { name: "p" opcode: "parameter" id: 1 shape { element_type: F32 dimensions: 3 } }\n'
            b'  instructions { name: "n" opcode: "negate" id: 2 operand_ids: 1 shape { element_type: F32 dimensions: 3 } }\n'
            b'}\nentry_computation_id: 1\n']),
        'hlo_mutated': ('1 proven', [b't = f32[5,8] transpose(f32[8,5] p), dimensions={1,0}', MODULE.encode()]),
        'hlo_index': ('1 proven', CHOICES),
        'hlo_computation': (' proven', CHOICES),
        'hlo_uses': ('hlo.utilization: 1 pass\n', [b't = f32[5,8] transpose(f32[8,5] p), dimensions={1,0}']),
        'protocol': ('{"id":1,"result":1}', [b'{"id":1,"op":"layout.linearize","shape":"f32[3]","index":[1]}']),
        'trace_check': ('accepted: 2 steps', [
            b'map (d0) -> (d0), domain: d0 in [0, 7]\n1: result 0 is d0\n2: new result 0 is d0\n'
            b'becomes (d0) -> (d0), domain: d0 in [0, 7]\n']),
    }

    def test_the_command_of_an_input_asks_the_question_of_its_target(self):
        path = os.path.dirname(PROGRAM) + ':' + os.environ['PATH']
        for target, (answer, inputs) in self.ANSWERS.items():
            outputs = ''
            for one in inputs:
                asked = self.show(target, one)
                done = subprocess.run(['bash', '-c', asked], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                      env={**os.environ, 'PATH': path})
                # 1: no such layout; not equal. 3: undecided.
                may_differ = target in ('layout_convert', 'map_equal')
                self.assertIn(done.returncode, (0, 1, 3) if may_differ else (0, 3), f'{target}: {asked}{done.stdout}')
                self.assertNotIn('tileproof: ', done.stdout, asked)
                outputs += done.stdout
            self.assertIn(answer, outputs, target)


if __name__ == '__main__':
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
