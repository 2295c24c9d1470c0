/** Differences that Caisson is meant to have, each with the sentence of the documents that wants it. */
import { type Path, paths } from './path.ts';

export interface Accepted {
  readonly page: string;
  /** Text of the difference, taken from the page. */
  readonly sentence: string;
  readonly paths: readonly Path[];
}

export const accepted: Readonly<Record<string, Accepted>> = {
  variables: {
    page: 'docs/writing-a-backend.md',
    sentence: 'The environment holds `CAISSON_EXEC`, by which core finds the process tree.',
    paths,
  },
  aliases: {
    page: 'docs/command-line.md',
    sentence: 'What stands after -- is shell text: directory, variables, functions, aliases, options and',
    paths: ['session'],
  },
  name: {
    page: 'docs/command-line.md',
    sentence: 'bash where the sandbox has it, else sh.',
    paths: ['session', 'code'],
  },
  program: {
    page: 'docs/command-line.md',
    sentence: 'a program of this machine, in a fresh directory that is removed afterwards',
    paths: ['code'],
  },
  descriptors: {
    page: 'backends/docker/README.md',
    sentence: 'What a lane reads and writes goes through named pipes',
    paths,
  },
};
