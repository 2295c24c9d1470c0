import { expect } from 'vitest';
import { codeCommand, type Language } from '../../../src/exec/code.ts';
import { newExecId } from '../../exec/requests.ts';
import { run, sh } from '../command.ts';
import type { Suite } from '../suite.ts';

interface Program {
  readonly names: string;
  /** Prints some variables, its directory and all that is in it, and leaves something behind. */
  readonly text: string;
}

const programs: Readonly<Record<Language, Program>> = {
  bash: { names: 'bash', text: 'echo "$p$d$u"; pwd; ls -A; touch left; exit 4' },
  python: {
    names: 'python3 python',
    text: 'import os; print(os.environ["p"] + os.environ["d"] + os.environ["u"]); print(os.getcwd()); print(*os.listdir(), sep="\\n"); open("left", "w"); raise SystemExit(4)',
  },
  node: {
    names: 'node nodejs',
    text: 'import fs from "node:fs"; const { p, d, u } = process.env; console.log(p + d + u); console.log(process.cwd()); console.log(fs.readdirSync(".").join("\\n")); fs.writeFileSync("left", ""); process.exitCode = 4',
  },
};

/** On the contract and core alone: every place that can run a shell must carry them. */
export function codeCases(suite: Suite): void {
  for (const [language, { names, text }] of Object.entries(programs)) {
    suite.test(
      `code.${language}`,
      `runs a ${language} program in a fresh directory that is gone afterwards, or says that it cannot`,
      async (place) => {
        const sandbox = await place.sandbox();
        const ran = await run(sandbox, codeCommand(language, newExecId()), {
          stdin: text,
          env: { p: '1', d: '2', u: '3' },
        });
        if ((await sh(sandbox, `command -v ${names}`)).stdout.length === 0) {
          expect(ran).toMatchObject({ exitCode: 127, stderr: Buffer.from(`none of these is here: ${names}\n`) });
          return;
        }
        const [variables, directory, ...files] = ran.stdout.toString().trim().split('\n');
        expect([ran.exitCode, variables, files.length, directory?.includes('caisson-code-')]).toEqual([
          4,
          '123',
          1,
          true,
        ]);
        expect((await run(sandbox, ['test', '-e', directory ?? '/'])).exitCode).toBe(1);
      },
    );
  }
}
