/** The official SDK alone, without Caisson: `caisson emulate daytona` prints the variables that point it at the emulator. */
import { Daytona } from '@daytonaio/sdk';

// oxlint-disable-next-line typescript/no-deprecated -- The emulator has no events, so the SDK polls.
const daytona = new Daytona({ useDeprecatedPolling: true });
const sandbox = await daytona.create({ image: 'debian:12', language: 'javascript', labels: { purpose: 'example' } });
try {
  const { exitCode, result } = await sandbox.process.executeCommand('echo "from $(pwd)"; exit 3');
  console.log(exitCode, result.trim());

  await sandbox.fs.uploadFile(Buffer.from('kept\n'), '/workspace/note');
  await sandbox.stop();
  await sandbox.start();
  console.log((await sandbox.fs.downloadFile('/workspace/note')).toString().trim());

  await sandbox.process.createSession('steps');
  const { cmdId } = await sandbox.process.executeSessionCommand('steps', { command: 'seq 1 3', runAsync: true });
  const onText = (text: string): void => console.log(text.trim().split('\n').join(' '));
  await sandbox.process.getSessionCommandLogs('steps', cmdId, onText, onText);

  for await (const found of daytona.list({ labels: { purpose: 'example' } })) console.log(found.state);
} finally {
  await sandbox.delete();
  await daytona[Symbol.asyncDispose]();
}
