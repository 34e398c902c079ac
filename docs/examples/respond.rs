// SPDX-License-Identifier: Apache-2.0
// An implementation of two operations, in Rust: rustc -O respond.rs && tileproof conform -- ./respond
const HELLO: &str = r#"{"name":"respond.rs","limits":{"bits":63},"ops":["layout.physical","layout.linearize"]}"#;

fn within<'a>(text: &'a str, open: &str, close: char) -> Option<&'a str> {
    text.split_once(open)?.1.split(close).next()
}
// Reads numbers with commas between them. `*` becomes 0; other text gives None.
fn numbers(text: &str) -> Option<Vec<i128>> {
    let number = |n: &str| if n == "*" { Some(0) } else { n.trim_start_matches("<=").parse().ok() };
    text.split(',').filter(|n| !n.is_empty()).map(number).collect()
}
// The size of each physical dimension, major to minor, and the coordinate of an index in it.
fn place(layout: &str, dims: &[i128], index: &[i128]) -> Option<Vec<(i128, i128)>> {
    let order = numbers(layout.split(':').next()?).filter(|o| o.len() == dims.len() && (0..dims.len()).all(|d| o.contains(&(d as i128))))?;
    let mut at: Vec<_> = order.iter().rev().map(|&d| (dims[d as usize], index[d as usize])).collect();
    for tile in layout.split(":T").nth(1).unwrap_or("").split(')').map_while(|t| t.strip_prefix('(')) {
        let sizes = |t: &Vec<i128>| t.iter().all(|n| *n >= 0) && t.last() > Some(&0) && !tile.split(',').any(|n| n == "0");
        let (tile, mut size, mut x, mut inside) = (numbers(tile).filter(sizes)?, 1, 0, vec![]);
        at.splice(0..0, vec![(1, 0); tile.len().saturating_sub(at.len())]);
        for (t, (n, i)) in tile.iter().zip(at.split_off(at.len() - tile.len())) {
            (size, x) = (size * n, x * n + i);
            if *t > 0 {
                inside.push((*t, x % t));
                at.push(((std::mem::replace(&mut size, 1) + t - 1) / t, std::mem::take(&mut x) / t));
            }
        }
        at.extend(inside);
    }
    Some(at)
}
// The result, or None if the request is invalid.
fn answer(line: &str) -> Option<String> {
    let (kind, shape) = within(line, "\"shape\":\"", '"')?.split_once('[').filter(|parts| !parts.0.contains('('))?;
    let dims = numbers(shape.split(']').next()?).filter(|dims| dims.iter().all(|n| *n >= 0))?;
    let layout = within(shape, "]{", '}').unwrap_or("");
    let width = kind.replace("pred", "u8").split(char::is_alphabetic).find_map(|n| n.parse::<i128>().ok())?;
    if line.contains("physical") {
        let number = |open, otherwise| within(layout, open, ')').map_or(Some(otherwise), |n| n.parse().ok()).filter(|n| *n > 0);
        let sizes: Vec<_> = place(layout, &dims, &vec![0; dims.len()])?.iter().map(|d| d.0).collect();
        let (tail, bits) = (number("L(", 1)?, number("E(", width.max(8))?);
        let elements = (sizes.iter().product::<i128>() + tail - 1) / tail * tail;
        return Some(format!("{{\"dims\":{sizes:?},\"elements\":{elements},\"bytes\":{}}}", (elements * bits + 7) / 8));
    }
    let inside = |index: &Vec<_>| index.len() == dims.len() && index.iter().zip(&dims).all(|(i, n)| (0..*n).contains(i));
    let index = numbers(within(line, "\"index\":[", ']')?).filter(inside)?;
    let offset = place(layout, &dims, &index)?.iter().fold(0, |offset, (n, i)| offset * n + i);
    (offset >> 63 == 0).then(|| offset.to_string())
}
fn main() {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let reply = match answer(&line) {
            _ if line.contains("\"hello\"") => format!("\"result\":{HELLO}"),
            _ if line.contains("\"indices\"") => "\"unsupported\":\"lists of indices\"".to_string(),
            Some(result) => format!("\"result\":{result}"),
            None => "\"error\":\"invalid shape or index\"".to_string(),
        };
        println!("{{\"id\":{},{reply}}}", within(&line, "\"id\":", ',').unwrap_or("null"));
    }
}
