/** `kill -9` at the steps of the pool: a run takes one of each group by its seed, a load takes all. */
import { expect, it } from 'vitest';
import { type Cli, listed } from './suite.ts';

interface Killing {
  readonly taken: <Step>(steps: readonly Step[]) => readonly Step[];
  readonly often: (test: (cli: Cli) => Promise<void>, sections: string) => Promise<void>;
  readonly kill: (cli: Cli, step: string, verb: readonly string[]) => Promise<void>;
  readonly patience: { readonly timeout: number };
}

const sections = 'pool: {entries: {one: {size: 1}}}\n';
const fill = ['pool', 'fill'];
const drain = ['pool', 'drain'];

export function poolSteps({ taken, often, kill, patience }: Killing): void {
  const killed = (test: (cli: Cli) => Promise<void>): Promise<void> => often(test, sections);

  it.each(taken(['after-intent', 'after-create', 'before-offer']))(
    'leaves no half-made member in the pool when it dies at %s of a fill',
    patience,
    async (step) =>
      await killed(async (cli) => {
        await kill(cli, step, fill);
        expect(await membersIn(cli)).not.toContainEqual(expect.objectContaining({ state: 'pooled' }));
        await cli(['gc']);
        expect(await cli(fill)).toMatchObject({ code: 0 });
        const [member] = await membersIn(cli);
        expect(member?.state).toBe('pooled');
        expect(await cli(['create', '--task', 't'])).toMatchObject({ code: 0 });
        expect((await listed(cli)).map(({ id }) => id)).toEqual([member?.id]);
      }),
  );

  it.each(taken(['after-claim', 'after-link', 'after-ready']))(
    'never offers a member again when it dies at %s of a claim',
    patience,
    async (step) =>
      await killed(async (cli) => {
        await cli(fill);
        const [member] = await membersIn(cli);
        await kill(cli, step, ['create', '--task', 't']);
        expect(await membersIn(cli)).toEqual([]);
        expect(await cli(['run', '--task', 'other', '--', 'true'])).toMatchObject({ code: 0 });
        expect((await listed(cli)).find(({ id }) => id === member?.id)?.taskId).not.toBe('other');
        const ran = await cli(['run', '--task', 't', '--', 'echo', 'there']);
        expect([ran.stdout, ran.code]).toEqual(['there\n', 0]);
        expect((await listed(cli)).map(({ taskId }) => taskId).toSorted()).toEqual(['other', 't']);
      }),
  );

  it.each(taken(['after-retire', 'after-remove', 'before-forget']))(
    'leaves nothing of a member when it dies at %s of a drain',
    patience,
    async (step) =>
      await killed(async (cli) => {
        await cli(fill);
        await kill(cli, step, drain);
        expect(await membersIn(cli)).not.toContainEqual(expect.objectContaining({ state: 'pooled' }));
        await cli(['gc']);
        expect(await membersIn(cli)).toEqual([]);
      }),
  );
}

const membersIn = async (cli: Cli) => await listed(cli, ['ls', '--pool', '-o', 'json']);
