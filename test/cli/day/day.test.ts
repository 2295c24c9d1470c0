/** An operator's night: one command for each question, whose first screen holds the answer, on a terminal of 80 and of 60 columns. */
import { expect, it } from 'vitest';
import { cli, Screen } from '../cli.ts';
import { hog, installation } from './installation.ts';

interface Asked {
  readonly question: string;
  readonly file: string;
  readonly line: readonly string[];
  /** Fields that the first screen holds, at any width. */
  readonly fields: readonly RegExp[];
  readonly exitCode?: number;
}

const questions: readonly Asked[] = [
  {
    question: 'which sandbox uses the most memory',
    file: 'top',
    line: ['top', '-n', '1'],
    fields: [/60 sandboxes/, new RegExp(`TASK.*MEMORY.*\\n${hog} .*497 MB 97%`)],
  },
  {
    question: 'which sandbox uses the most of the processors',
    file: 'top-cpu',
    line: ['top', '-n', '1', '--sort', 'cpu'],
    fields: [new RegExp(`\\n${hog} .*198%`)],
  },
  {
    question: 'who ran what yesterday',
    file: 'yesterday',
    line: ['history', '--since', 'yesterday', '--until', 'today'],
    fields: [/AGE.*TASK.*END.*COMMAND/, /alice\.\w+-\d\d .*done.*make/, /bob\.\w+-\d\d .*make/],
  },
  {
    question: 'why was it denied',
    file: 'denied',
    line: ['history', '--denied'],
    fields: [/alice\.build-04 .*denied: terminal\(git push:\*\)/],
  },
  {
    question: 'what is wrong at 3 am',
    file: 'status',
    line: ['status'],
    fields: [
      /700 MB are free/,
      /config\.yaml is newer/,
      /bob\.train-11 is creating/,
      /1 command has an end that is not known/,
      /1 command waits/,
    ],
    exitCode: 1,
  },
  {
    question: 'what was lost',
    file: 'lost',
    line: ['history', '--lost'],
    fields: [/bob\.crawl-26 .*lost/],
  },
  {
    question: 'what failed in the tasks of bob',
    file: 'failed',
    line: ['history', '--failed', '--owner', 'bob'],
    fields: [/bob\.\w+-\d\d .*exit 2/],
  },
  {
    question: 'who answered a question, and with what',
    file: 'answers',
    line: ['audit', 'tail', '--verdict', 'allow'],
    fields: [/bob\.test-05 .*decision .*answered session by/],
  },
  {
    question: 'which sandboxes are in another state than ready',
    file: 'states',
    line: ['ls', '--sort', 'state'],
    fields: [/TASK.*STATE.*IDLE\nbob\.train-11 .*creating/],
  },
];

it.each(questions.flatMap((asked) => [80, 60].map((columns) => ({ ...asked, columns }))))(
  '"$question" is answered by the first screen of $columns columns',
  async ({ line, fields, file, columns, exitCode = 0 }) => {
    const stdout = new Screen(true, columns);
    const ran = await cli([...line, '--no-color', '--home', '/nowhere'], {
      stdout,
      open: () => Promise.resolve(installation()),
    });
    const rows = ran.stdout.split('\n').slice(0, 24);
    expect(rows.filter((row) => row.length > columns)).toEqual([]);
    const screen = rows.map((row) => `${row}\n`).join('');
    for (const field of fields) expect(screen).toMatch(field);
    expect([ran.exitCode, ran.stderr]).toEqual([exitCode, '']);
    await expect(screen).toMatchFileSnapshot(`screens/${file}-${columns}.txt`);
  },
);
