/** Runs attacks until their time is over. Its parent sends one message, and gets what the service answered, by status. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, Attacker } from './attacker.ts';
import { attacks } from './attacks/index.ts';
import type { AttackOrder } from './orders.ts';

async function run({ atOnce, prepare, strike }: Attack, attacker: Attacker): Promise<void> {
  await prepare?.(attacker);
  let turn = 0;
  const strikes = Array.from({ length: atOnce }, async () => {
    while (!attacker.signal.aborted) {
      await strike(attacker, turn++);
      // What is refused at once is tried again as often as a program does that does not wait.
      await sleep(2);
    }
  });
  await Promise.all(strikes);
}

process.once('message', (message) => {
  const { url, token, names, forMs } = message as AttackOrder;
  const signal = AbortSignal.timeout(forMs);
  const attacker = new Attacker(url, token, signal);
  const chosen = names.flatMap((name) => attacks[name] ?? []);
  const struck = chosen.map((attack) => run(attack, attacker));
  void Promise.race([Promise.all(struck), sleep(forMs + 5000)]).then(() => {
    process.send?.(attacker.counts, () => process.exit(0));
  });
});
