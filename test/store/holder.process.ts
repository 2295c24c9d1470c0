/** Run as a process of its own: opens the store named in argv, then obeys lines such as `acquire task:a`. */
import { createInterface } from 'node:readline';
import { openStore } from '../../src/store/sqlite/open.ts';
import { newRow } from './rows.ts';

const { store, notices } = await openStore(process.argv[2] ?? '');
console.log(`${store.instance} ${notices.map(({ id }) => id).join(',')}`.trim());

for await (const line of createInterface({ input: process.stdin })) {
  const [command = '', key = ''] = line.split(' ');
  if (command === 'acquire') console.log(await store.leases.acquire(key));
  else if (command === 'release') console.log(await store.leases.release(key));
  else if (command === 'insert') console.log(await insert(key));
  else console.log(`unknown command ${command}`);
}
await store.close();

async function insert(taskId: string): Promise<string> {
  try {
    await store.sandboxes.insert(newRow({ taskId }));
    return 'inserted';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
