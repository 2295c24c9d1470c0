/** Bounds of the analysis. Beyond them a command is asked for, never allowed. */

/** UTF-16 units that are analysed in full. */
export const fullAnalysisUnits = 64 * 1024;
/** UTF-16 units in which the text scan still looks for hardline commands; what is longer is refused. */
export const scanUnits = 1024 * 1024;
/** Separators and openers in a text that the grammar is given. More of them take it longer than a verdict may take. */
export const grammarMarks = 3000;
export const parseMs = 80;
/** A short text takes the grammar no time; on a host that is busy it may still wait that long for a core. */
export const shortUnits = 512;
export const shortParseMs = 1000;
export const treeNodes = 30_000;
/** Processor time of one decision in which its texts are read in full. */
export const fullReadingMs = 50;
/** And in which they are read at all; a text that is left is asked about. */
export const readingMs = 100;
/** Levels of the syntax tree; one `$(...)` takes about three. */
export const treeDepth = 192;
/** `sh -c` in `eval` in a here-document in ... */
export const payloadDepth = 20;
/** Payload texts of one command, and their units together. */
export const payloads = 2000;
export const payloadUnits = 256 * 1024;
/** `sudo nohup env ...` */
export const wrapperDepth = 64;
/** Words behind wrappers that are looked at in one text; a wrapper that comes after so many is asked about. */
export const wrappedWords = 100_000;
/** Units of a path; the kernel takes no longer one (PATH_MAX of Linux). */
export const pathUnits = 4096;
export const braceItems = 64;
/** Units of all items of one word together. */
export const bracesUnits = 1024 * 1024;
/** Units of a variable's value that are kept. */
export const valueUnits = 8192;
