/** Programs that run a command as another user: `su`, `runuser`. */
import type { Word } from './types.ts';
import { optionText, type Unwrapped } from './unwrapped.ts';

const shellOption = /^(?:-[flmpP]*s|--sh\w*)$/;
const shellGlued = /^(?:-[flmpP]*s(?=.)|--sh\w*=)/;

/** `su -s /bin/rm root -- -rf x`: the shell of the user, or another program, gets the words behind the name of the user. */
function shellOfUser(words: readonly Word[]): readonly (readonly Word[])[] {
  const [first] = words;
  const named = optionText(words, shellOption, shellGlued)?.texts?.[0];
  const isValue = (at: number): boolean =>
    /^(?:-[flmpP]*[sugGwT]|--(?:sh|gr|su|wh)[\w-]*)$/.test(words[at - 1]?.text ?? '');
  const end = words.findIndex(({ text }) => text === '--');
  const own = (end < 0 ? words : words.slice(0, end)).slice(1);
  const [user, ...rest] = own.filter(({ text }, at) => !text.startsWith('-') && !isValue(at + 1));
  const behind = end < 0 ? [] : words.slice(end + 1);
  const given = user === undefined ? behind.slice(1) : [...rest, ...behind];
  if (first === undefined || given.length === 0) return [];
  return [[{ ...(named?.word ?? first), text: named?.text ?? 'sh' }, ...given]];
}

/** The last of several holds; which one the program takes for it is not asked. */
export function asUser(words: readonly Word[]): Unwrapped | null {
  const texts = words.flatMap((word, at) => {
    const glued = /^(?:--(?:c|se)[\w-]*=|-[flmpP]*c(?=.))/.exec(word.text)?.[0];
    if (glued !== undefined) return [{ text: word.text.slice(glued.length), word }];
    const isText = /^(?:-[flmpP]*c|--(?:c|se)[\w-]*)$/.test(words[at - 1]?.text ?? '');
    return isText && at > 1 ? [{ text: word.text, word }] : [];
  });
  if (texts.length > 0) return { commands: [], texts };
  // Behind an option for the user, runuser takes a command and no name.
  if (/runuser$/.test(words[0]?.text ?? '') && words.some(({ text }) => /^(?:-u|--user)/.test(text))) return null;
  return { commands: shellOfUser(words) };
}
