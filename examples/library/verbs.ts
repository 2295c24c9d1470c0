/**
 * One use of each verb of the library, for `docs/library.md`. It is checked by its types, and not meant to be run as a whole. A block
 * after the name of its verb is what the page shows.
 */
import { openCaisson } from 'caisson';

await using caisson = await openCaisson();

// run
{
  const { stdout, exit } = await caisson.run({ task: 'build', command: ['make', 'test'] });
  console.log(exit.exitCode, stdout.text);
}

// exec
{
  const running = await caisson.exec({ task: 'build', command: ['make', 'test'] });
  running.stdout.pipe(process.stdout);
  console.log((await running.exit).reason);
}

// close
{
  await caisson.close();
}

// sandboxes.create
{
  const { sandbox, how } = await caisson.sandboxes.create({
    task: 'build',
    network: 'none',
    limits: { memoryBytes: 2 ** 30 },
  });
  console.log(sandbox.id, how, sandbox.degraded);
}

// sandboxes.list
{
  const { items, nextCursor } = await caisson.sandboxes.list({ state: 'ready', labels: { team: 'a' }, limit: 50 });
  console.log(items.length, nextCursor);
}

// sandboxes.get
{
  const { state, effective } = await caisson.sandboxes.get('build');
  console.log(state, effective);
}

// sandboxes.update
{
  await caisson.sandboxes.update('build', { labels: { stage: 'test', old: null }, idleTimeoutMs: 600_000 });
}

// sandboxes.touch
{
  await caisson.sandboxes.touch('build');
}

// sandboxes.start
{
  const { lostSince } = await caisson.sandboxes.start('build');
  console.log(lostSince ?? 'all files are there');
}

// sandboxes.stop
{
  await caisson.sandboxes.stop('build');
}

// sandboxes.remove
{
  await caisson.sandboxes.remove('build', { keepFiles: true });
}

// sandboxes.limits
{
  const { limits, network } = await caisson.sandboxes.limits('build');
  console.log(limits, network);
}

// sandboxes.stats
{
  const { memoryBytes } = await caisson.sandboxes.stats('build');
  console.log(memoryBytes);
}

// sandboxes.samples
{
  const { recent } = await caisson.sandboxes.samples('build', { last: 6 });
  console.log(recent.map(({ at, cpuCores }) => `${at} ${cpuCores}`));
}

// sandboxes.keepSamples
{
  caisson.sandboxes.keepSamples();
}

// sandboxes.top
{
  for (const { taskId, stats, last } of await caisson.sandboxes.top({ labels: { team: 'a' } }))
    console.log(taskId, stats?.memoryBytes, last?.command);
}

// sandboxes.gc
{
  const found = await caisson.sandboxes.gc({ dryRun: true });
  console.log(found.map(({ kind, name }) => `${kind} ${name}`));
  // A sandbox whose node was switched off is given up by its name: { dryRun: false, force: 'build' }
}

// execs.start
{
  const running = await caisson.execs.start({ task: 'build', command: ['cat'], stdin: true });
  running.stdin?.end('to the command');
  running.stdout.pipe(process.stdout);
}

// execs.run
{
  const { stdout } = await caisson.execs.run({ task: 'build', code: { language: 'python', text: 'print(6 * 7)' } });
  console.log(stdout.text);
}

// execs.list
{
  const { items } = await caisson.execs.list({ task: 'build', limit: 20 });
  console.log(items.map(({ id, exit }) => [id, exit?.reason]));
}

// execs.get
{
  const { command, exit } = await caisson.execs.get('exec_1');
  console.log(command, exit);
}

// execs.cancel
{
  await caisson.execs.cancel('exec_1');
}

// execs.logs
{
  for await (const event of caisson.execs.logs('exec_1', { follow: true })) console.log(event.event.type);
}

// processes.start
{
  const { id } = await caisson.processes.start({ task: 'build', command: ['npm', 'start'] });
  console.log(id);
}

// processes.list
{
  for (const { id, state } of await caisson.processes.list({ task: 'build' })) console.log(id, state);
}

// processes.get
{
  const { state, exitCode } = await caisson.processes.get('proc_1');
  console.log(state, exitCode);
}

// processes.input
{
  await caisson.processes.input('proc_1', process.stdin);
}

// processes.wait
{
  const { exitCode } = await caisson.processes.wait('proc_1', { signal: AbortSignal.timeout(60_000) });
  console.log(exitCode);
}

// processes.kill
{
  const { survivors } = await caisson.processes.kill('proc_1', 'TERM');
  console.log(survivors);
}

// sessions.open
{
  await caisson.sessions.open({ task: 'build', name: 'main' });
}

// sessions.exec
{
  const running = await caisson.sessions.exec({ task: 'build', name: 'main', text: 'cd src && make' });
  running.stdout.pipe(process.stdout);
}

// sessions.run
{
  const { stdout } = await caisson.sessions.run({ task: 'build', name: 'main', text: 'pwd' });
  console.log(stdout.text);
}

// sessions.close
{
  await caisson.sessions.close({ task: 'build', name: 'main' });
}

// sessions.list
{
  for (const { name, open } of await caisson.sessions.list('build')) console.log(name, open);
}

// files.copyIn
{
  await caisson.files.copyIn({ task: 'build', source: '/home/me/data.csv', target: 'data.csv' });
}

// files.copyOut
{
  await caisson.files.copyOut({ task: 'build', source: 'report.html', target: '/home/me/report.html' });
}

// files.sync
{
  const { conflicts } = await caisson.files.sync({
    task: 'build',
    host: '/home/me/src',
    inside: 'src',
    direction: 'in',
  });
  console.log(conflicts);
}

// files.read
{
  const { bytes, sha256 } = await caisson.files.read({ task: 'build', path: 'report.json' });
  console.log(bytes.toString(), sha256);
}

// files.stream
{
  const { parts } = await caisson.files.stream({ task: 'build', path: 'large.bin' });
  for await (const piece of parts) process.stdout.write(piece);
}

// files.write
{
  await caisson.files.write({ task: 'build', path: 'settings.json', bytes: '{}' });
}

// files.patch
{
  await caisson.files.patch({ task: 'build', path: 'main.py', edits: [{ find: 'red', replace: 'blue' }] });
}

// files.list
{
  const { entries } = await caisson.files.list({ task: 'build', path: '.' });
  console.log(entries.map(({ name, kind }) => `${name} ${kind}`));
}

// files.stat
{
  const { size, mode } = await caisson.files.stat({ task: 'build', path: 'report.json' });
  console.log(size, mode);
}

// files.move
{
  await caisson.files.move({ task: 'build', path: 'draft.md', to: 'final.md' });
}

// files.remove
{
  await caisson.files.remove({ task: 'build', path: 'dist', recursive: true });
}

// files.search
{
  const { matches } = await caisson.files.search({ task: 'build', path: '.', pattern: 'TODO', name: '*.ts' });
  console.log(matches);
}

// files.archive
{
  await using archive = await caisson.files.archive({ task: 'build', path: 'dist' });
  for await (const piece of archive.parts) process.stdout.write(piece);
}

// files.unpack
{
  await caisson.files.unpack({ task: 'build', path: 'src', archive: process.stdin });
}

// files.watch
{
  const changes = await caisson.files.watch({ task: 'build', path: '.', recursive: true });
  for await (const change of changes) console.log(change);
}

// pool.list
{
  for (const { entry, ready, size } of await caisson.pool.list()) console.log(entry, `${ready} of ${size}`);
}

// pool.fill
{
  await caisson.pool.fill();
}

// pool.drain
{
  const { removed } = await caisson.pool.drain();
  console.log(removed);
}

// pool.keep
{
  caisson.pool.keep();
}

// approvals.list
{
  for (const { id, display } of await caisson.approvals.list()) console.log(id, display);
}

// approvals.get
{
  const { state, answeredBy } = await caisson.approvals.get('q_1');
  console.log(state, answeredBy);
}

// approvals.answer
{
  await caisson.approvals.answer('q_1', 'once', 'alice');
}

// approvals.answerAll
{
  const { left } = await caisson.approvals.answerAll({ task: 'build', choice: 'deny' }, 'alice');
  console.log(left);
}

// approvals.grants
{
  for (const { id } of await caisson.approvals.grants()) console.log(id);
}

// approvals.revoke
{
  await caisson.approvals.revoke('grant_1', 'alice');
}

// approvals.suggest
{
  for (const { rule, times } of await caisson.approvals.suggest()) console.log(rule, times);
}

// approvals.skip
{
  await caisson.approvals.skip('build', true);
}

// policy.checker
{
  const check = await caisson.policy.checker({ backend: 'local' });
  console.log(check('git push --force').verdict);
}

// policy.examples
{
  console.log(await caisson.policy.examples());
}

// policy.ignored
{
  for (const { source, rule } of await caisson.policy.ignored()) console.log(source, rule);
}

// policy.ready
{
  await caisson.policy.ready();
}

// network.checker
{
  const check = await caisson.network.checker();
  console.log(check({ url: 'http://169.254.169.254/' }));
}

// network.rules
{
  console.log(await caisson.network.rules('build'));
}

// network.change
{
  await caisson.network.change('build', { allow: ['pypi.org'] });
}

// network.log
{
  for await (const connection of caisson.network.log('build')) console.log(connection);
}

// network.suggest
{
  console.log(await caisson.network.suggest('build'));
}

// policy.hooks.list
{
  for (const { command, state } of await caisson.policy.hooks.list()) console.log(command, state);
}

// policy.hooks.accept
{
  await caisson.policy.hooks.accept(['lint.sh']);
}

// audit.tail
{
  for await (const record of caisson.audit.tail({ count: 20, task: 'build', verdict: 'deny' }))
    console.log(record.type);
}

// audit.verify
{
  console.log(await caisson.audit.verify());
}

// history.list
{
  const { items } = await caisson.history.list({ task: 'build', outcomes: ['failed', 'lost', 'denied'], limit: 20 });
  console.log(items.map(({ command, outcome, reason }) => [command, outcome, reason]));
}

// events.follow
{
  for await (const event of caisson.events.follow({ follow: true })) console.log(event.type);
}

// events.kept
{
  console.log(await caisson.events.kept());
}

// images.list
{
  for (const { reference } of await caisson.images.list({ backend: 'docker' })) console.log(reference);
}

// images.recipes
{
  for (const { name, about } of await caisson.images.recipes()) console.log(name, about);
}

// images.build
{
  const { reference } = await caisson.images.build('base', {});
  console.log(reference);
}

// secrets.redactor
{
  const redactor = caisson.secrets.redactor({ names: ['API_KEY'] });
  console.log(redactor);
}

// secrets.scan
{
  const result = await caisson.secrets.scan({ name: 'AGENTS.md', bytes: new Uint8Array() });
  console.log(result.findings);
}

// secrets.approve
{
  await caisson.secrets.approve(await caisson.secrets.scan({ name: 'AGENTS.md', bytes: new Uint8Array() }));
}

// secrets.scanSkill
{
  const { verdict } = await caisson.secrets.scanSkill('/home/me/skills/report');
  console.log(verdict);
}

// secrets.acceptSkill
{
  await caisson.secrets.acceptSkill(await caisson.secrets.scanSkill('/home/me/skills/report'));
}

// access.message
{
  console.log(
    await caisson.access.message({ platform: 'telegram', from: { ids: ['1'] }, channel: null, addressed: null }),
  );
}

// access.conversation
{
  console.log(await caisson.access.conversation({ platform: 'telegram', from: { ids: ['1'] }, channel: null }));
}

// access.pairing.list
{
  console.log(await caisson.access.pairing.list());
}

// access.pairing.approve
{
  await caisson.access.pairing.approve('telegram', 'ABCD2345', 'alice');
}

// access.pairing.revoke
{
  await caisson.access.pairing.revoke('telegram', '1', 'alice');
}

// access.pairing.clearPending
{
  await caisson.access.pairing.clearPending();
}

// tokens.create
{
  const { token } = await caisson.tokens.create({ name: 'ci', scopes: ['run', 'read'] }, 'alice');
  console.log(token);
}

// tokens.list
{
  for (const { name, scopes } of await caisson.tokens.list()) console.log(name, scopes);
}

// tokens.remove
{
  await caisson.tokens.remove('token_1', 'alice');
}

// tokens.authenticate
{
  console.log(await caisson.tokens.authenticate('cz_token'));
}

// tokens.admit
{
  const token = await caisson.tokens.authenticate('cz_token');
  if (token !== null) await caisson.tokens.admit(token);
}

// backends.check
{
  for (const { backend, check } of await caisson.backends.check(['docker'])) console.log(backend, check);
}

// backends.account
{
  console.log(await caisson.backends.account(['modal']));
}

// backends.hostKeys
{
  for (const { host, fingerprint } of await caisson.backends.hostKeys('ssh')) console.log(host, fingerprint);
}

// backends.confirmHostKey
{
  await caisson.backends.confirmHostKey('ssh', { host: 'build-1', fingerprint: 'SHA256:...' });
}

// mcpServers.names
{
  console.log(await caisson.mcpServers.names());
}

// mcpServers.child
{
  const { command, args } = await caisson.mcpServers.child('docs');
  console.log(command, args);
}

// mcpServers.shares
{
  console.log(await caisson.mcpServers.shares('docs'));
}

// mcpServers.inside
{
  const { request, command } = await caisson.mcpServers.inside('docs');
  console.log(request, command);
}

// mcpServers.admit
{
  await caisson.mcpServers.admit({ server: 'docs', tool: 'search', arguments: {}, taskId: 'build' });
}

// installation.status
{
  const { level, concerns } = await caisson.installation.status();
  console.log(
    level,
    concerns.map(({ message }) => message),
  );
}

// installation.figures
{
  console.log(await caisson.installation.figures());
}

// installation.budgets
{
  console.log(await caisson.installation.budgets());
}

// installation.budget
{
  console.log(caisson.installation.budget('connections'));
}

// installation.backup
{
  await caisson.installation.backup('/var/backups/caisson');
}

// config.show
{
  console.log(await caisson.config.show());
}

// config.reload
{
  console.log(await caisson.config.reload());
}

// config.pending
{
  console.log(await caisson.config.pending());
}

// config.set
{
  await caisson.config.set('terminal.timeout', '300');
}

// config.create
{
  await caisson.config.create('terminal: {backend: docker}\n');
}

// config.schema
{
  console.log(await caisson.config.schema());
}
