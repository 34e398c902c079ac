// A target needs a source to have precompiled headers; their list is in CMakeLists.txt.
