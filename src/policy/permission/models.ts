/**
 * What a rule that ends with `:*` covers of a program. Of a program with a model: what `models/` lists. Of all others: operands
 * alone, since an option of theirs may run a program or name a file to write.
 */
import type { Simple, Word } from '../../shell/types.ts';
import { awk } from './models/awk.ts';
import { curl } from './models/curl.ts';
import { docker } from './models/docker.ts';
import { find } from './models/find.ts';
import { git } from './models/git.ts';
import { looking } from './models/looking.ts';
import { make } from './models/make.ts';
import type { Model } from './models/model.ts';
import { npm } from './models/npm.ts';
import { pip } from './models/pip.ts';
import { uncovered } from './models/read.ts';
import { sed } from './models/sed.ts';
import { tar } from './models/tar.ts';
import { touching } from './models/touching.ts';

const models: Readonly<Record<string, Model>> = {
  ...looking,
  ...touching,
  awk,
  gawk: awk,
  mawk: awk,
  curl,
  docker,
  find,
  git,
  make,
  gfind: find,
  gmake: make,
  npm,
  pip,
  sed,
  gsed: sed,
  tar,
  gtar: tar,
};

/**
 * What of a command a rule whose first words it has does not cover: `the option --exec`. `null`: the rule covers it.
 * `from`: how many of the words the rule spells out.
 */
export function beyondRule(command: Simple, from: number): string | null {
  const model = modelOf(command.program);
  return model === null ? beyondOperands(command.words.slice(from)) : uncovered(command.words.slice(1), model);
}

/** Whether it only looks at things. */
export function onlyReads({ program, words }: Simple): boolean {
  const model = modelOf(program);
  return model?.reads === true && uncovered(words.slice(1), model) === null;
}

function modelOf(program: string | null): Model | null {
  if (program !== null && /^pip\d+(?:\.\d+)?$/.test(program)) return pip;
  return program !== null && Object.hasOwn(models, program) ? (models[program] ?? null) : null;
}

/** `-x`, `+x` and `@file`, from which many programs read options; names of npm packages have a scope with such a sign. */
function beyondOperands(words: readonly Word[]): string | null {
  for (const { text, literal, glob } of words) {
    if (!literal || (glob && /^[-+@*?[]/.test(text))) return 'a word that is not known before it runs';
    if (/^[-+@]./.test(text) && !/^@[\w-]+\/[\w.-]+(?:@[\w.^~-]+)?$/.test(text))
      return `the option ${text
        .split('=', 1)[0]
        ?.replace(/[^\x20-\x7e]/g, '?')
        .slice(0, 40)}`;
  }
  return null;
}
