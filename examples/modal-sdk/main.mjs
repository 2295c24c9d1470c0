// One command in a sandbox, by Modal's official SDK alone. Against the emulator: eval "$(caisson emulate modal)" in another shell.
import { ModalClient } from 'modal';

const modal = new ModalClient();
const app = await modal.apps.fromName('example', { createIfMissing: true });
const image = modal.images.fromRegistry('debian:12');
const sandbox = await modal.sandboxes.create(app, image, { timeoutMs: 60_000, blockNetwork: true });
try {
  const hello = await sandbox.exec(['sh', '-c', 'read -r name && echo "hello, $name" >greeting && cat greeting'], {
    workdir: '/tmp',
    env: { LC_ALL: 'C' },
  });
  const stdin = hello.stdin.getWriter();
  await stdin.write('world\n');
  await stdin.close();
  console.log((await hello.stdout.readText()).trim());
  console.log(`exit code ${await hello.wait()}`);

  const snapshot = await sandbox.snapshotFilesystem();
  const restored = await modal.sandboxes.create(app, snapshot, { timeoutMs: 60_000 });
  const again = await restored.exec(['cat', '/tmp/greeting']);
  console.log(`kept: ${(await again.stdout.readText()).trim()}`);
  await restored.terminate();
  await modal.images.delete(snapshot.imageId);
} finally {
  await sandbox.terminate();
  modal.close();
}
