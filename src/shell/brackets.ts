/** Brackets in `[ \( a = b \) ]`, which the grammar takes only bare. */

const space = String.raw`[ \t]`;
const bracket = String.raw`\\[()]|"[()]"|'[()]'`;
const plain = String.raw`[\w./:%+,@=!-]+|\$\w+|\$\{\w+\}|"(?:[\w./:%+,@=! -]|\$\w+|\$\{\w+\})*"`;
const before = String.raw`(?<=(?:^|[\n;&|({])\s*|(?:^|\s)(?:if|while|until|elif|then|else|do|!)\s+)`;
/** A test in the place of a command, of brackets and words in which nothing is run. */
const test = new RegExp(`${before}\\[${space}+(?:(?:${bracket}|${plain})${space}+)+\\](?=\\s*(?:$|[\\n;&|)}]))`, 'g');

/** The text with them bare, and everything where it was before. */
export function withBareBrackets(text: string): string {
  return text.replace(test, (found) => found.replace(/\\([()])|"([()])"|'([()])'/g, bare));
}

function bare(quoted: string, escaped = '', double = '', single = ''): string {
  return escaped === '' ? ` ${double}${single} ` : ` ${escaped}`.slice(0, quoted.length);
}
