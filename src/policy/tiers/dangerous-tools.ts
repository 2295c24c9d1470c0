/** Databases, services, processes, version control, containers, packages. */
import { flagsOf, hasLong } from '../analysis/options.ts';
import { isCaisson } from '../analysis/runners.ts';
import type { Analysis, Simple } from '../analysis/types.ts';
import { writersBefore } from './foreign.ts';
import { argsOf, type Rule } from './rule.ts';

const clients = ['psql', 'mysql', 'mariadb', 'sqlite3', 'sqlite', 'sqlcmd', 'mysqlsh', 'clickhouse-client', 'clickhouse', 'duckdb', 'cockroach', 'pgcli', 'mycli', 'litecli', 'bq', 'usql', 'isql', 'sqlplus', 'd1', 'osql'];

/** Everything a database client is given to run, one statement each. */
function statements(command: Simple, analysis: Analysis): readonly string[] {
  const texts = [...argsOf(command), command.stdin ?? '', ...writersBefore(command, analysis).flatMap((each) => [...argsOf(each), each.stdin ?? ''])];
  return texts.flatMap((text) => text.replace(/'(?:[^'\\]|'')*'|--[^\n]*|\/\*[^]*?\*\//g, "''").split(';'));
}

const sql = (pattern: RegExp): Rule['test'] => (command, analysis) => statements(command, analysis).some((statement) => pattern.test(statement));

const isAgent = (text: string): boolean => /(?:^|[^a-z])(?:hermes|caisson|gateway|cli\.py)(?:$|[^a-z])/i.test(text);
const words = (command: Simple): readonly string[] => argsOf(command).filter((arg) => !arg.startsWith('-'));
const hard = (arg: string): boolean => /^-(?:9|KILL|SIGKILL)$/i.test(arg);
const forced = (args: readonly string[]): boolean => args.some((arg, at) => hard(arg) || (/^(?:-s|--signal)$/.test(args[at - 1] ?? '') && /^(?:9|(?:SIG)?KILL)$/i.test(arg)) || /^--signal=(?:9|(?:SIG)?KILL)$/i.test(arg));

/** The words of git from its subcommand on. */
function gitArgs(command: Simple): readonly string[] {
  const args = argsOf(command);
  let at = 0;
  while (args[at]?.startsWith('-') === true) at += /^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path)$/.test(args[at] ?? '') ? 2 : 1;
  return args.slice(at);
}

const git = (name: string, test: (args: readonly string[], flags: readonly string[]) => boolean): Rule['test'] => (command) => {
  const [subcommand, ...args] = gitArgs(command);
  return subcommand === name && test(args, flagsOf(args));
};

function removesPackage(command: Simple): boolean {
  const [first = '', second = ''] = words(command);
  const name = (command.program ?? '').replace(/[\d.]+$/, '');
  return (Object.hasOwn(removals, name) && removals[name]?.test(`${first} ${second}`) === true) || (/^(?:rpm|dpkg|pacman)$/.test(name) && argsOf(command).some((arg) => (name === 'pacman' ? /^-R/ : /^-[a-z]*[erP]|^--(?:erase|remove|purge)/).test(arg) && !/^-q/.test(arg)));
}

const removals: Readonly<Record<string, RegExp>> = {
  npm: /^(?:uninstall|un|unlink|remove|rm|r) /, pnpm: /^(?:remove|rm|uninstall|un) /, yarn: /^(?:remove|global remove)/, bun: /^(?:remove|rm) /, pip: /^uninstall/, pipx: /^uninstall/, uv: /^(?:pip uninstall|tool uninstall|remove)/, conda: /^(?:remove|uninstall)/,
  apt: /^(?:remove|purge|autoremove)/, 'apt-get': /^(?:remove|purge|autoremove)/, yum: /^(?:remove|erase)/, dnf: /^(?:remove|erase)/, zypper: /^(?:remove|rm)/, apk: /^del/, brew: /^(?:uninstall|remove|rm)/, snap: /^remove/, flatpak: /^(?:uninstall|remove)/, cargo: /^uninstall/, gem: /^uninstall/, choco: /^uninstall/, winget: /^uninstall/,
};

const metadata = /(?:^|[^\d.])169\.254\.169\.254(?:$|[^\d])|metadata\.google\.internal|metadata\.goog\b|169\.254\.170\.2(?:$|[^\d])|100\.100\.100\.200|fd00:ec2::254|\/\/(?:2852039166|0xa9fea9fe)/i;

export const toolRules: readonly Rule[] = [
  { id: 'D6d', description: 'SQL DROP', programs: clients, test: sql(/\bDROP\s+(?:TABLE|DATABASE|SCHEMA)\b/i), yes: ["psql -c 'DROP TABLE users'", "psql <<SQL\nDROP TABLE orders;\nSQL", "echo 'drop database x' | mysql"], no: ["git log -S 'DROP TABLE'", "git tag -a v1 -m 'DROP TABLE migration'", "psql -c \"select 'DROP TABLE x'\""] },
  { id: 'D6w', description: 'SQL DELETE without WHERE', programs: clients, test: sql(/\bDELETE\s+FROM\b(?![^]*\bWHERE\b)/i), yes: ["psql -c 'DELETE FROM users'", "mysql -e 'delete from a; select 1'"], no: ["mysql -e 'delete from t where created_at < now()'", "sqlite3 a.db 'SELECT 1'"] },
  { id: 'D6t', description: 'SQL TRUNCATE', programs: clients, test: sql(/\bTRUNCATE\s+(?:TABLE\s+)?[\w"`[]/i), yes: ["mysql -e 'truncate table audit'", "psql -c 'TRUNCATE users'"], no: ["sqlite3 app.db 'SELECT count(*) FROM truncated_logs'"] },
  {
    id: 'D9', description: 'stop/restart system service', programs: ['systemctl', 'service', 'rc-service', 'launchctl', 'initctl'],
    test: (command) => {
      const [first = '', second = ''] = words(command);
      if (command.program === 'systemctl') return /^(?:stop|disable|mask|restart|kill)$/.test(first);
      if (command.program === 'launchctl') return /^(?:unload|bootout|stop|remove|kill|disable)$/.test(first);
      return /^(?:stop|restart)$/.test(second) || /^(?:stop|restart)$/.test(first);
    },
    yes: ['systemctl stop x', 'systemctl --user stop app', 'systemctl mask firewalld', 'sudo service nginx stop', 'systemctl restart x'],
    no: ['systemctl status x', 'systemctl is-enabled x', 'journalctl -u nginx', 'launchctl list'],
  },
  { id: 'D10', description: 'force kill processes', programs: ['pkill', 'killall'], test: (command) => forced(argsOf(command)) || (command.program === 'killall' && flagsOf(argsOf(command)).some((flag) => flag === '-r' || flag === '--regexp')), yes: ['pkill -9 x', 'pkill -9 -f server.js', 'killall -KILL x', 'killall -r x', 'pkill -s KILL x', 'pkill --signal 9 x'], no: ['pkill x', 'pkill -f my-test-server', 'kill -9 123'] },
  {
    id: 'D11', description: 'kill hermes/gateway process (self-termination)', programs: ['pkill', 'killall', 'kill', 'hermes', 'caisson', 'launchctl', 'systemctl'],
    test: (command) => {
      const args = argsOf(command);
      if (command.program === 'kill') return command.words.some(({ raw }) => /(?:\$\(|`)/.test(raw) && /pgrep|pidof|ps /.test(raw) && isAgent(raw));
      if (command.program === 'hermes' || command.program === 'caisson') return (args[0] === 'gateway' && /^(?:stop|restart)$/.test(args[1] ?? '')) || args[0] === 'update';
      if (command.program === 'systemctl' || command.program === 'launchctl') return /stop|restart|kill|disable|mask|unload|bootout|remove/.test(args.join(' ')) && args.some(isAgent);
      return args.some(isAgent);
    },
    yes: ['pkill hermes', 'killall hermes', 'kill -9 `pidof gateway`', 'kill $(pgrep -f hermes)', 'hermes gateway stop', 'systemctl --user restart hermes-gateway', 'hermes update'],
    no: ['ps aux | grep hermes', 'pkill my-server', 'hermes --version', 'kill 123'],
  },
  {
    id: 'D12', description: "start gateway outside systemd (use 'systemctl --user restart hermes-gateway')", programs: ['hermes', 'caisson'],
    test: (command, { commands }) => /^(?:gateway run|gateway start|serve)\b/.test(argsOf(command).join(' ')) && (command.background || commands.some(({ program, wraps }) => program === 'disown' || (wraps && /^(?:nohup|setsid)$/.test(program ?? '')))),
    yes: ['nohup hermes gateway run &', 'nohup hermes gateway run', 'hermes gateway run & disown', 'setsid hermes gateway run'],
    no: ['hermes gateway status', 'hermes gateway run'],
  },
  {
    id: 'D12a', description: 'change of what Caisson asks about', programs: ['*'],
    test: (command) => loosens(command) || command.assignments.some(({ name }) => /^(?:CAISSON|HERMES)_/.test(name) && !/^CAISSON_DEBUG$/.test(name)),
    yes: ['caisson approvals approve apr_1', 'caisson hooks accept', 'npx caisson run --yolo -- ls', 'node bin/caisson.js exec --allow "terminal" x -- ls', 'CAISSON_YOLO_MODE=1 make', 'export HERMES_YOLO_MODE=1', 'env -u CAISSON_EXEC caisson ls', 'unset CAISSON_SANDBOX', 'caisson --home /tmp/h ls', 'caisson pairing approve x', 'caisson pairing revoke telegram 1'],
    no: ['caisson ls', 'caisson exec x -- ls', 'caisson approvals ls', 'caisson approvals deny apr_1', 'caisson run -- echo --yolo', 'echo $CAISSON_EXEC', 'caisson run --backend docker --deny "terminal(nc:*)" -- ls'],
  },
  { id: 'D19r', description: 'git reset --hard (destroys uncommitted changes)', programs: ['git'], test: git('reset', (args) => hasLong(args, '--hard', 1)), yes: ['git reset --hard HEAD~3', 'git -C x reset --har'], no: ['git reset HEAD file', 'git commit -m "reset --hard"'] },
  { id: 'D19p', description: 'git force push (rewrites remote history)', programs: ['git'], test: git('push', (args, flags) => flags.includes('-f') || args.some((arg) => /^--(?:forc|mirror|prune)/.test(arg) || /^\+\S/.test(arg)) || flags.includes('-d') || flags.includes('--delete')), yes: ['git push --force', 'git push --force-with-lease', 'git push -f origin main', 'git push origin +main'], no: ['git push', 'git push -u origin main', 'git push --follow-tags'] },
  { id: 'D19c', description: 'git clean with force (deletes untracked files)', programs: ['git'], test: git('clean', (args, flags) => (flags.includes('-f') || hasLong(args, '--force', 1)) && !flags.includes('-n') && !flags.includes('--dry-run')), yes: ['git clean -fd', 'git clean -fdx', 'git clean --force'], no: ['git clean -n', 'git clean -nfd'] },
  { id: 'D19b', description: 'git branch force delete', programs: ['git'], test: git('branch', (_args, flags) => flags.includes('-D') || ((flags.includes('-d') || flags.includes('--delete')) && (flags.includes('-f') || flags.includes('--force')))), yes: ['git branch -D x', 'git branch -d -f x', 'git branch --delete --force x'], no: ['git branch -d x', 'git branch --show-current'] },
  { id: 'D19o', description: 'git discards stashes or history', programs: ['git'], test: (command) => /^(?:stash (?:drop|clear)|reflog (?:expire|delete)|filter-branch|update-ref -d)/.test(gitArgs(command).join(' ')), yes: ['git stash clear', 'git stash drop'], no: ['git stash', 'git stash pop', 'git reflog'] },
  { id: 'D20', description: 'sudo with password or shell flag', programs: ['sudo'], test: ({ words: all }) => sudoFlags(all.slice(1).map(({ text }) => text)).some((flag) => /^(?:-[SAsai]|--(?:stdin|askpass|shell|login))$/.test(flag)), yes: ['sudo -S x', 'sudo -nS x', 'sudo -s', 'echo p | sudo -S ls', 'sudo --askpass ls'], no: ['sudo x', 'sudo -u root x', 'sudo -E -H x', 'sudo ls -S', 'sudo -n true'] },
  { id: 'D22', description: 'cloud metadata endpoint', programs: ['*'], test: ({ program, words: all }) => !/^(?:|echo|printf|grep|rg|git|sed|awk|cat|man)$/.test(program ?? 'x') && all.some(({ text }) => metadata.test(text)), yes: ['curl http://169.254.169.254/latest/meta-data/', 'wget metadata.google.internal', "curl 'http://[fd00:ec2::254]/'"], no: ['curl http://169.254.1.1', 'grep 169.254.169.254 log', 'curl http://1169.254.169.254.example'] },
  {
    id: 'D23', description: 'docker container lifecycle', programs: ['docker', 'podman', 'docker-compose', 'podman-compose', 'nerdctl'],
    test: stopsContainers,
    yes: ['docker compose down', 'docker stop x', 'docker restart x', 'docker kill x', 'docker -H ssh://x ps', 'docker-compose -f a.yml down -v', 'docker rm -f x', 'docker system prune -f', 'docker context use x', 'podman stop x', 'DOCKER_HOST=ssh://x docker ps'],
    no: ['docker ps', 'docker run -h n img', 'docker compose up -d', 'docker logs x', 'docker build .', 'docker compose ps'],
  },
  {
    id: 'D23p', description: 'container with the whole host in reach', programs: ['docker', 'podman', 'nerdctl'],
    test: (command) => /^(?:container )?(?:run|create) /.test(`${words(command).join(' ')} `) && argsOf(command).some((arg, at, args) => /^--privileged(?:=true)?$/.test(arg) || bindsRoot(arg, args[at - 1])),
    yes: ['docker run --privileged alpine sh', 'docker run -v /:/host alpine rm -rf /host', 'docker run --rm --volume=/:/h:rw a', 'docker create --mount type=bind,source=/,target=/h a', 'docker run -itv /:/h a'],
    no: ['docker run -v /srv:/srv a', 'docker run -v "$PWD":/app a', 'docker run --mount type=bind,source=/srv,target=/ a', 'docker build --privileged .'],
  },
  { id: 'D24', description: 'package uninstall', programs: ['npm', 'pnpm', 'yarn', 'bun', 'pip*', 'uv', 'conda', 'apt', 'apt-get', 'yum', 'dnf', 'zypper', 'apk', 'brew', 'snap', 'flatpak', 'cargo', 'gem', 'choco', 'winget', 'rpm', 'dpkg', 'pacman'], test: removesPackage, yes: ['npm un -g x', 'npm uninstall x', 'pip uninstall -y x', 'sudo apt-get purge x', 'brew uninstall x', 'pacman -Rns x'], no: ['npm install', 'npm run rm', 'pip install x', 'apt list', 'npm test', 'dpkg -l', 'rpm -qa'] },
  { id: 'D28', description: 'change of scheduled jobs or accounts', programs: ['crontab', 'userdel', 'groupdel', 'passwd', 'visudo', 'usermod'], test: (command) => command.program !== 'crontab' || !flagsOf(argsOf(command)).includes('-l'), yes: ['crontab -r', 'userdel x', 'passwd root'], no: ['crontab -l', 'man passwd'] },
];

/** Options of sudo itself: what stands before the command. */
function sudoFlags(args: readonly string[]): readonly string[] {
  let at = 0;
  while (args[at]?.startsWith('-') === true && args[at] !== '--') at += /^(?:-[a-zA-Z]*[ughpCrtTUDR]|--(?:user|group|host|prompt|chdir))$/.test(args[at] ?? '') ? 2 : 1;
  return flagsOf(args.slice(0, at));
}

/** Answers instead of a person, brings rules or another configuration, or takes away the mark of a command of Caisson. */
function loosens(command: Simple): boolean {
  const { program } = command;
  if (program === 'unset' || program === 'env') return argsOf(command).some((arg) => /^(?:--unset=|-u)?(?:CAISSON|HERMES)_\w+$/.test(arg));
  if (program === null || (!isCaisson(program) && program !== 'hermes')) return false;
  const args = argsOf(command);
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  return own.some((arg) => /^--(?:yolo|allow|home)(?:=|$)/.test(arg)) || /(?:^| )(?:approvals approve|pairing (?:approve|revoke|clear-pending)|hooks accept|token create)(?: |$)/.test(own.join(' '));
}

/** `-v /:/host`, `--mount source=/,...` */
function bindsRoot(arg: string, before = ''): boolean {
  const volume = /^(?:-[a-z]*v|--volume)$/.test(before) ? arg : arg.replace(/^(?:-[a-z]*v|--volume=)(?=\/)/, '');
  const mount = before === '--mount' ? arg : arg.replace(/^--mount=/, '');
  return /^\/+:/.test(volume) || /(?:^|,)(?:source|src)=\/+(?:,|$)/.test(mount);
}

function stopsContainers(command: Simple): boolean {
  const args = argsOf(command);
  if (command.assignments.some(({ name }) => /^(?:DOCKER|CONTAINER)_(?:HOST|CONTEXT)$/.test(name))) return true;
  let at = 0;
  while (args[at]?.startsWith('-') === true) {
    if (/^(?:-H|--host|-c|--context|--url|--connection)(?:=|$)|^-H./.test(args[at] ?? '') && command.program !== 'docker-compose') return true;
    at += /^(?:-f|--file|-p|--project-name|--config|-l|--log-level|--project-directory|--profile|--env-file)$/.test(args[at] ?? '') ? 2 : 1;
  }
  const rest = args.slice(at).filter((arg, index, all) => !arg.startsWith('-') && !/^(?:-f|--file|-p|--project-name|--profile|--env-file)$/.test(all[index - 1] ?? ''));
  const [first = '', second = ''] = command.program?.endsWith('compose') === true ? ['compose', rest[0]] : rest;
  const group = /^(?:compose|container|stack|service|swarm|pod)$/.test(first);
  const verb = group ? second : first;
  if (/^(?:stop|restart|kill|down|pause)$/.test(verb)) return true;
  if (/^rmi?$/.test(verb)) return flagsOf(args).some((flag) => flag === '-f' || flag === '--force') || (group && first === 'compose');
  return (first === 'context' && second === 'use') || (second === 'prune' && !group) || (first === 'volume' && second === 'rm') || second === 'prune';
}
