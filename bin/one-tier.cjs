// Keeps the optimizing compiler of V8 away from WebAssembly in this process. Caisson has one module of it that counts, the shell
// grammar, whose lexer is one function of 160 kB: in the background of the commands that it read, the compiler took 2.4 s of processor
// and 450 MB of memory over a process of 90 MB, and a command was read in 36 µs thereafter instead of 50. V8 looks at the flags whenever
// a function is hot, so that they cannot hold for one module. A library has no say in this: who embeds Caisson sets flags as they like.
'use strict';
const { setFlagsFromString } = require('node:v8');

/** The first flag alone has no effect on modules that are compiled lazily, the second alone compiles all at once. */
exports.keepToOneTier = () => {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
};
