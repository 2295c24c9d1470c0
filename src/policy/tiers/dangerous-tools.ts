/** Databases, services, processes, version control, containers, packages. */
import { endsOfOptions, flagsOf, hasLong, operandsAfter } from '../../shell/options.ts';
import { isCaisson } from '../../shell/runners.ts';
import { isShell } from '../../shell/shells.ts';
import { innersOf, wrappers } from '../../shell/wrappers.ts';
import { hole, type Analysis, type Simple } from '../../shell/types.ts';
import { writersBefore } from './foreign.ts';
import { argsOf, type Rule } from './rule.ts';

const clients = ['psql', 'mysql', 'mariadb', 'sqlite3', 'sqlite', 'sqlcmd', 'mysqlsh', 'clickhouse-client', 'clickhouse', 'duckdb', 'cockroach', 'pgcli', 'mycli', 'litecli', 'bq', 'usql', 'isql', 'sqlplus', 'd1', 'osql', 'snowsql', 'cqlsh', 'hive', 'beeline', 'impala-shell', 'spark-sql', 'presto', 'trino', 'wrangler', 'prisma', 'supabase', 'heroku', 'python*', 'django-admin', 'rails', 'aws', 'dropdb', 'mysqladmin', 'mongosh', 'mongo', 'redis-cli', 'npx'];

/** Those whose words are SQL only below some of their verbs. */
const verbs: Readonly<Record<string, RegExp>> = { python: /\bdbshell\b/, 'django-admin': /\bdbshell\b/, rails: /\bdb(?:console)?\b/, heroku: /\bpg:psql\b/, aws: /\bexecute-statement\b/, wrangler: /\bexecute\b/, prisma: /\bexecute\b/, npx: /\bprisma db execute\b/, supabase: /\bexecute\b/ };

/** Everything a database client is given to run, one statement each. */
function statements(command: Simple, analysis: Analysis): readonly string[] {
  const args = argsOf(command);
  const verb = verbs[(command.program ?? '').replace(/[\d.]+$/, '')];
  if (verb !== undefined && !verb.test(args.join(' '))) return [];
  // `--command=...` is not a comment, though SQL has one that begins so.
  const texts = [...args.map((arg) => arg.replace(/^--[\w-]+(?:=|$)/, '')), command.stdin ?? '', ...writersBefore(command, analysis).flatMap((each) => [...argsOf(each), each.stdin ?? ''])];
  return texts.flatMap((text) => text.replace(/'(?:[^'\\]|'')*'|--[^\n]*|\/\*[^]*?\*\//g, (part) => (part.startsWith("'") ? "''" : ' ')).split(';'));
}

const sql = (pattern: RegExp): Rule['test'] => (command, analysis) => statements(command, analysis).some((statement) => pattern.test(statement));

/** A whole database, without SQL. */
function dropsWhole(command: Simple): boolean {
  const args = argsOf(command);
  if (command.program === 'dropdb') return !args.some((arg) => /^(?:--help|--version)$/.test(arg));
  if (command.program === 'mysqladmin') return args.includes('drop');
  if (command.program === 'redis-cli') return args.some((arg) => /^flush(?:all|db)$/i.test(arg));
  return /^mongo(?:sh)?$/.test(command.program ?? '') && args.some((arg) => /\.(?:dropDatabase|drop)\(/.test(arg));
}

const isAgent = (text: string): boolean => /(?:^|[^a-z])(?:hermes|caisson|gateway|cli\.py)(?:$|[^a-z])/i.test(text);
const words = (command: Simple): readonly string[] => argsOf(command).filter((arg) => !arg.startsWith('-'));
const hard = (arg: string): boolean => /^-(?:9|KILL|SIGKILL)$/i.test(arg);
const forced = (args: readonly string[]): boolean => args.some((arg, at) => hard(arg) || (/^(?:-s|--signal)$/.test(args[at - 1] ?? '') && /^(?:9|(?:SIG)?KILL)$/i.test(arg)) || /^--signal=(?:9|(?:SIG)?KILL)$/i.test(arg));

function startsGateway(command: Simple): boolean {
  const said = argsOf(command).join(' ');
  if (command.program === 'hermes' || command.program === 'caisson') return /^(?:gateway run|gateway start|serve)\b/.test(said);
  if (command.program === 'gateway') return /^(?:run|start)\b/.test(said);
  return isAgent(said) && /\bgateway (?:run|start)\b/.test(said);
}

/** What is signalled is only found as it runs: by a name whose matches are not known, or by the agent's own. */
function killsFound({ words: all }: Simple, { commands }: Analysis): boolean {
  if (all.some(({ raw }) => /(?:\$\(|`)[^]*\b(?:pgrep|pidof)\b/.test(raw))) return true;
  if (!all.some(({ text }) => text.includes(hole))) return false;
  return commands.some((each) => /^(?:pgrep|pidof|ps|grep|egrep|rg|awk|cat)$/.test(each.program ?? '') && argsOf(each).some((arg) => isAgent(arg.replace(/[[\]]/g, ''))));
}

const stops: Readonly<Record<string, RegExp>> = {
  systemctl: /^(?:stop|disable|mask|restart|try-restart|reload-or-restart|try-reload-or-restart|condrestart|force-reload|kill|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|rescue|emergency|isolate|exit)(?: |$)/,
  loginctl: /^(?:terminate|kill)-/, launchctl: /^(?:unload|bootout|stop|remove|kill|disable|kickstart)/,
  service: /^\S+ (?:stop|restart)|^(?:stop|restart) /, 'rc-service': /^\S+ (?:stop|restart)/, 'invoke-rc.d': /^\S+ (?:stop|restart)/, 'update-rc.d': /^\S+ (?:disable|remove)/, 'rc-update': /^(?:del|delete) /, chkconfig: /^\S+ off|^del/,
  initctl: /^(?:stop|restart) /, sv: /^(?:stop|restart|down|kill|force-\w+) /, supervisorctl: /^(?:stop|restart|shutdown)/, monit: /^(?:stop|restart) /, brew: /^services (?:stop|restart|kill) /, snap: /^(?:stop|restart|disable) /,
  nginx: /^(?:stop|quit)$/, apachectl: /^(?:(?:graceful-)?stop|restart)/, apache2ctl: /^(?:(?:graceful-)?stop|restart)/,
};
const valuedOfServices = { short: 'HMtpPnosKic', long: ['--host', '--machine', '--type', '--property', '--signal', '--message', '--state', '--root'] };

function stopsService(command: Simple): boolean {
  const { program } = command;
  const script = command.words[0]?.text ?? '';
  if (script.startsWith('/etc/init.d/') || script.startsWith('/etc/rc.d/')) return /^(?:stop|restart|force-reload)$/.test(argsOf(command)[0] ?? '');
  if (program === null || !Object.hasOwn(stops, program)) return false;
  const said = (program === 'systemctl' ? operandsAfter(argsOf(command), valuedOfServices) : words(command)).join(' ');
  return stops[program]?.test(said) === true;
}

/** The words of git from its subcommand on. */
function gitArgs(command: Simple): readonly string[] {
  const args = argsOf(command);
  let at = 0;
  while (args[at]?.startsWith('-') === true) at += /^(?:-C|-c|--(?:git-dir|work-tree|namespace|exec-path|attr-source|super-prefix|config-env))$/.test(args[at] ?? '') ? 2 : 1;
  return args.slice(at);
}

const git = (name: string, test: (args: readonly string[], flags: readonly string[]) => boolean): Rule['test'] => (command) => {
  const [subcommand, ...args] = gitArgs(command);
  return subcommand === name && test(args, flagsOf(args));
};

/** Everything in the work tree, not one file. */
function discards(command: Simple): boolean {
  const [verb = '', ...args] = gitArgs(command);
  if (verb === 'restore') return args.some((arg) => /^(?:\.|:\/|\*)$/.test(arg)) && (!args.some((arg) => /^(?:-S|--staged)$/.test(arg)) || args.some((arg) => /^(?:-W|--worktree)$/.test(arg)));
  if (verb !== 'checkout' && verb !== 'switch') return false;
  return flagsOf(args).some((flag) => /^(?:-f|--force|--discard-changes)$/.test(flag)) || args.some((arg) => /^(?:\.|:\/)$/.test(arg));
}

function removesPackage(command: Simple): boolean {
  const name = (command.program ?? '').replace(/[\d.]+$/, '');
  const removes = Object.hasOwn(removals, name) ? removals[name] : undefined;
  return (removes !== undefined && saidOf(command).some((said) => removes.test(said))) || (/^(?:rpm|dpkg|pacman|yay|paru)$/.test(name) && argsOf(command).some((arg) => (/^(?:pacman|yay|paru)$/.test(name) ? /^-R/ : /^-[a-z]*[erP]|^--(?:erase|remove|purge)/).test(arg) && !/^-q/.test(arg)));
}

/** Its first operands, once for each reading of options that are not known. */
function saidOf(command: Simple): readonly string[] {
  const args = argsOf(command);
  return endsOfOptions(command.words.slice(1), 0, valuedOfPackages).map((at) => {
    const [first = '', second = '', third = ''] = operandsAfter(args.slice(at), valuedOfPackages).filter((arg) => !arg.startsWith('-'));
    return `${first} ${second} ${third}`;
  });
}

const valuedOfPackages = { short: 'C', long: ['--prefix', '--dir', '--cwd', '--filter', '--workspace'] };

const removals: Readonly<Record<string, RegExp>> = {
  npm: /^(?:uninstall|un|unlink|remove|rm|r) /, pnpm: /^(?:remove|rm|uninstall|un) /, yarn: /^(?:remove|global remove|workspace \S+ remove)/, bun: /^(?:remove|rm) /, pip: /^uninstall/, pipx: /^uninstall/, uv: /^(?:pip uninstall|tool uninstall|remove)/, conda: /^(?:remove|uninstall|env remove)/,
  apt: /^(?:remove|purge|autoremove)/, 'apt-get': /^(?:remove|purge|autoremove)/, yum: /^(?:remove|erase|autoremove)/, dnf: /^(?:remove|erase|autoremove)/, zypper: /^(?:remove|rm)/, apk: /^del/, brew: /^(?:uninstall|remove|rm|cask uninstall)/, snap: /^remove/, flatpak: /^(?:uninstall|remove)/, cargo: /^uninstall/, gem: /^uninstall/, choco: /^uninstall/, winget: /^uninstall/, scoop: /^uninstall/,
  python: /^pip uninstall/, poetry: /^remove/, pdm: /^remove/, pipenv: /^uninstall/, mamba: /^(?:remove|uninstall|env remove)/, micromamba: /^(?:remove|uninstall|env remove)/, aptitude: /^(?:remove|purge)/, composer: /^(?:remove|global remove)/, dotnet: /^(?:tool uninstall|remove \S* ?package)/, rustup: /^(?:self uninstall|toolchain uninstall)/, opkg: /^remove/, port: /^uninstall/, pkg: /^(?:remove|delete)/, nix: /^profile remove/,
};

const metadata = /(?:^|[^\d.])169\.254\.169\.254(?:$|[^\d])|metadata\.google\.internal(?![\w-]|\.[\w-])|metadata\.goog\b|169\.254\.170\.2(?:$|[^\d])|100\.100\.100\.200|fd00:ec2::254|::ffff:a9fe:a9fe/i;

/** The host of an address as a browser reads it, in whatever base its numbers are written. */
const hostIn = (text: string): string => (/:\/\//.test(text) && URL.canParse(text) ? new URL(text).hostname : '');

function opensFirewall(command: Simple): boolean {
  const args = argsOf(command);
  const said = words(command).join(' ');
  if (command.program === 'nft') return /(?:^|[\s;])(?:flush|delete|destroy) /.test(said) || args.some((arg) => /^(?:-f|--file)/.test(arg));
  if (command.program === 'ufw') return /^(?:disable|reset|default allow|delete)/.test(said);
  if (command.program === 'firewall-cmd') return args.some((arg) => /^--(?:panic-off|remove-|complete-reload|set-default-zone|set-target)/.test(arg));
  if (command.program === 'pfctl') return args.some((arg) => /^-[a-z]*[dF]/.test(arg));
  if (command.program === 'iptables-restore') return !args.includes('--test') && !args.includes('-t');
  return args.some((arg, at) => /^(?:-[FXDZ]|--flush|--delete(?:-chain)?)$/.test(arg) || (/^(?:-P|--policy)$/.test(arg) && args[at + 2] === 'ACCEPT'));
}

function changesKernel(command: Simple): boolean {
  const args = argsOf(command);
  if (command.program === 'mount') return args.some((arg) => /(?:^|[,=o])remount(?:,|$)/.test(arg));
  if (command.program === 'umount') return args.some((arg) => /^-[a-zA-Z]*a|^--all/.test(arg) || arg === '/');
  if (command.program === 'modprobe') return args.some((arg) => /^-[a-z]*r|^--remove/.test(arg)) && !args.some((arg) => /^(?:-n|--dry-run)$/.test(arg));
  if (command.program === 'sysctl') return args.some((arg) => /^-[a-z]*[wpf]|^--(?:write|load|system)/.test(arg) || /^[\w./-]+=/.test(arg));
  if (command.program === 'swapoff') return args.length > 0;
  return words(command).length > 0;
}

export const toolRules: readonly Rule[] = [
  {
    id: 'D9f', description: 'firewall opened or emptied', programs: ['iptables', 'ip6tables', 'nft', 'ufw', 'firewall-cmd', 'ebtables', 'iptables-restore', 'pfctl'],
    test: opensFirewall,
    yes: ['iptables -F', 'iptables -t nat --flush', 'ip6tables -P INPUT ACCEPT', 'nft flush ruleset', 'nft delete table inet x', 'ufw disable', 'ufw --force reset', 'firewall-cmd --panic-off', 'iptables-restore < x', 'pfctl -d'],
    no: ['iptables -L -n', 'nft list ruleset', 'ufw status', 'iptables -S', 'firewall-cmd --state', 'pfctl -s rules'],
  },
  {
    id: 'D9k', description: 'change of mounts or of the running kernel', programs: ['umount', 'mount', 'rmmod', 'insmod', 'modprobe', 'sysctl', 'swapoff'],
    test: changesKernel,
    yes: ['umount -a', 'mount -o remount,ro /', 'rmmod nvme', 'insmod x.ko', 'modprobe -r ext4', 'sysctl -w kernel.panic=1', 'sysctl kernel.panic=1', 'sysctl -p x', 'swapoff -a', 'umount -l /'],
    no: ['mount', 'mount -t tmpfs tmpfs build', 'umount build', 'modprobe -n ext4', 'sysctl -a', 'sysctl kernel.hostname', 'modprobe --show-depends x'],
  },
  { id: 'D6d', description: 'SQL DROP', programs: clients, test: (command, analysis) => dropsWhole(command) || sql(/\bDROP\s+(?:TABLE|DATABASE|SCHEMA|KEYSPACE)\b/i)(command, analysis), yes: ["psql -c 'DROP TABLE users'", "psql <<SQL\nDROP TABLE orders;\nSQL", "echo 'drop database x' | mysql", "psql --command='DROP TABLE x'", "psql -c 'DROP/**/TABLE x'", 'dropdb x', 'mysqladmin -f drop x', "mongosh --eval 'db.dropDatabase()'", 'redis-cli FLUSHALL', "python manage.py dbshell <<< 'DROP TABLE x'"], no: ["git log -S 'DROP TABLE'", "git tag -a v1 -m 'DROP TABLE migration'", "psql -c \"select 'DROP TABLE x'\"", 'dropdb --help', 'mysqladmin status', "python s.py 'DROP TABLE x'", 'redis-cli get x'] },
  { id: 'D6w', description: 'SQL DELETE without WHERE', programs: clients, test: sql(/\bDELETE\s+(?:(?:LOW_PRIORITY|QUICK|IGNORE)\s+)*FROM\b(?![^]*\bWHERE\b)/i), yes: ["psql -c 'DELETE FROM users'", "mysql -e 'delete from a; select 1'", "mysql -e 'DELETE QUICK FROM t'"], no: ["mysql -e 'delete from t where created_at < now()'", "sqlite3 a.db 'SELECT 1'"] },
  { id: 'D6t', description: 'SQL TRUNCATE', programs: clients, test: sql(/\bTRUNCATE\s+(?:TABLE\s+)?[\w"`[]/i), yes: ["mysql -e 'truncate table audit'", "psql -c 'TRUNCATE users'"], no: ["sqlite3 app.db 'SELECT count(*) FROM truncated_logs'"] },
  {
    id: 'D9', description: 'stop/restart system service', programs: ['*'],
    test: stopsService,
    yes: ['systemctl stop x', 'systemctl --user stop app', 'systemctl mask firewalld', 'sudo service nginx stop', 'systemctl restart x', 'systemctl -H h stop x', 'systemctl isolate rescue.target', 'sudo /etc/init.d/nginx stop', 'update-rc.d x disable', 'supervisorctl stop x', 'brew services stop x', 'nginx -s stop', 'launchctl bootout gui/501 x'],
    no: ['systemctl status x', 'systemctl is-enabled x', 'journalctl -u nginx', 'launchctl list', 'service --status-all', 'brew services list', 'nginx -t', 'supervisorctl status', '/etc/init.d/nginx status', 'npm stop'],
  },
  { id: 'D10', description: 'force kill processes', programs: ['pkill', 'killall'], test: (command) => forced(argsOf(command)) || (command.program === 'killall' && flagsOf(argsOf(command)).some((flag) => flag === '-r' || flag === '--regexp')), yes: ['pkill -9 x', 'pkill -9 -f server.js', 'killall -KILL x', 'killall -r x', 'pkill -s KILL x', 'pkill --signal 9 x'], no: ['pkill x', 'pkill -f my-test-server', 'kill -9 123'] },
  {
    id: 'D11', description: 'kill hermes/gateway process (self-termination)', programs: ['pkill', 'killall', 'kill', 'hermes', 'caisson', 'launchctl', 'systemctl', 'python*'],
    test: (command, analysis) => {
      const args = argsOf(command);
      if (command.program === 'kill') return killsFound(command, analysis);
      if (/^python/.test(command.program ?? '')) return args.some(isAgent) && /\bgateway (?:stop|restart)\b/.test(args.join(' '));
      if (command.program === 'hermes' || command.program === 'caisson') return (args[0] === 'gateway' && /^(?:stop|restart)$/.test(args[1] ?? '')) || args[0] === 'update';
      if (command.program === 'systemctl' || command.program === 'launchctl') return /stop|restart|kill|kickstart|disable|mask|unload|bootout|remove/.test(args.join(' ')) && args.some(isAgent);
      return args.some(isAgent);
    },
    yes: ['pkill hermes', 'killall hermes', 'kill -9 `pidof gateway`', 'kill $(pgrep -f hermes)', 'hermes gateway stop', 'systemctl --user restart hermes-gateway', 'hermes update', 'kill -9 $(pgrep -f server)', 'pgrep hermes | xargs kill', "ps aux | grep '[h]ermes' | awk '{print $2}' | xargs kill", 'P=$(pidof hermes); kill $P', 'python -m hermes gateway stop'],
    no: ['ps aux | grep hermes', 'pkill my-server', 'hermes --version', 'kill 123', 'ps aux | grep hermes; kill 123', 'kill $(lsof -t -i:3000)', 'kill $(cat app.pid)', 'python hermes.py gateway run'],
  },
  {
    id: 'D12', description: "start gateway outside systemd (use 'systemctl --user restart hermes-gateway')", programs: ['hermes', 'caisson', 'gateway', 'python*', 'start-stop-daemon', 'daemonize'],
    test: (command, { commands }) => startsGateway(command) && (command.background || /^(?:start-stop-daemon|daemonize)$/.test(command.program ?? '') || commands.some(({ program, wraps }) => /^(?:disown|tmux|screen|at|batch)$/.test(program ?? '') || (wraps && /^(?:nohup|setsid|systemd-run)$/.test(program ?? '')))),
    yes: ['nohup hermes gateway run &', 'nohup hermes gateway run', 'hermes gateway run & disown', 'setsid hermes gateway run', "tmux new -d 'hermes gateway run'", 'nohup python -m hermes gateway run &', 'python3 cli.py gateway run &', 'screen -dmS g hermes gateway run', 'gateway run &', 'nohup gateway run', 'setsid ./gateway run'],
    no: ['hermes gateway status', 'hermes gateway run', 'gateway run', 'gateway status &'],
  },
  {
    id: 'D12a', description: 'change of what Caisson asks about', programs: ['*'],
    test: (command) => loosens(command) || command.assignments.some(({ name }) => /^(?:CAISSON|HERMES)_/.test(name) && !/^CAISSON_DEBUG$/.test(name)),
    yes: ['caisson service stop', 'caisson approvals approve apr_1', 'caisson hooks accept', 'npx caisson run --yolo -- ls', 'node bin/caisson.js exec --allow "terminal" x -- ls', 'CAISSON_YOLO_MODE=1 make', 'export HERMES_YOLO_MODE=1', 'env -u CAISSON_EXEC caisson ls', 'unset CAISSON_SANDBOX', 'caisson --home /tmp/h ls', 'caisson pairing approve x', 'hermes config set approvals.mode off', 'caisson pairing revoke telegram 1', 'caisson net allow build example.com', 'caisson net forget build example.com'],
    no: ['caisson ls', 'caisson service status', 'caisson exec x -- ls', 'caisson approvals ls', 'caisson approvals deny apr_1', 'caisson net log build', 'caisson net deny build example.com', 'caisson run -- echo --yolo', 'echo $CAISSON_EXEC', 'caisson run --backend docker --deny "terminal(nc:*)" -- ls'],
  },
  { id: 'D19r', description: 'git reset --hard (destroys uncommitted changes)', programs: ['git'], test: git('reset', (args) => hasLong(args, '--hard', 1)), yes: ['git reset --hard HEAD~3', 'git -C x reset --har'], no: ['git reset HEAD file', 'git commit -m "reset --hard"'] },
  { id: 'D19w', description: 'git discards uncommitted changes', programs: ['git'], test: discards, yes: ['git checkout -f', 'git checkout -- .', 'git restore .', 'git switch --discard-changes x', 'git checkout HEAD -- .'], no: ['git checkout main', 'git checkout -- file', 'git restore --staged .', 'git restore file', 'git checkout -b x', 'git switch -c x'] },
  { id: 'D19p', description: 'git force push (rewrites remote history)', programs: ['git'], test: git('push', (args, flags) => flags.includes('-f') || args.some((arg) => /^--(?:forc|mirror|prune)/.test(arg) || /^\+\S|^:\S/.test(arg)) || flags.includes('-d') || flags.includes('--delete')), yes: ['git push --force', 'git push --force-with-lease', 'git push -f origin main', 'git push origin +main', 'git push origin :old'], no: ['git push', 'git push -u origin main', 'git push --follow-tags'] },
  { id: 'D19c', description: 'git clean with force (deletes untracked files)', programs: ['git'], test: git('clean', (args, flags) => (flags.includes('-f') || hasLong(args, '--force', 1)) && !flags.includes('-n') && !flags.includes('--dry-run')), yes: ['git clean -fd', 'git clean -fdx', 'git clean --force'], no: ['git clean -n', 'git clean -nfd'] },
  { id: 'D19b', description: 'git branch force delete', programs: ['git'], test: git('branch', (_args, flags) => flags.includes('-D') || ((flags.includes('-d') || flags.includes('--delete')) && (flags.includes('-f') || flags.includes('--force')))), yes: ['git branch -D x', 'git branch -d -f x', 'git branch --delete --force x'], no: ['git branch -d x', 'git branch --show-current'] },
  { id: 'D19o', description: 'git discards stashes or history', programs: ['git'], test: (command) => /^(?:stash (?:drop|clear)|reflog (?:expire|delete)|filter-branch|filter-repo|update-ref -d|gc --prune=(?:now|all))/.test(gitArgs(command).join(' ')), yes: ['git stash clear', 'git stash drop'], no: ['git stash', 'git stash pop', 'git reflog'] },
  { id: 'D20', description: 'sudo with password or shell flag', programs: ['sudo'], test: ({ words: all, stage, stdin }) => sudoFlags(all.slice(1).map(({ text }) => text)).some((flag) => /^-[SAsai]$/.test(flag) || ['--stdin', '--askpass', '--shell', '--login'].some((name) => hasLong([flag], name, 2))) || ((stage === null || stage.index === 0) && stdin === null && opensRootShell(all)), yes: ['sudo -S x', 'sudo -nS x', 'sudo -s', 'echo p | sudo -S ls', 'sudo --askpass ls', 'sudo --stdi ls', 'sudo su -', 'sudo bash'], no: ['sudo x', 'sudo -u root x', 'sudo -E -H x', 'sudo ls -S', 'sudo -n true', 'sudo bash s.sh', 'sudo su -c ls me'] },
  { id: 'D22', description: 'cloud metadata endpoint', programs: ['*'], test: ({ program, words: all, redirects }) => redirects.some(({ target }) => target.text.startsWith('/dev/') && metadata.test(target.text)) || !/^(?:|echo|printf|grep|rg|git|gh|glab|test|\[|\[\[|sed|awk|cat|man)$/.test(program ?? 'x') && (all.some(({ text }) => metadata.test(text) || metadata.test(hostIn(text)))), yes: ['curl http://169.254.169.254/latest/meta-data/', 'wget metadata.google.internal', "curl 'http://[fd00:ec2::254]/'", 'curl http://0xA9.0xFE.0xA9.0xFE/', 'curl http://0251.0376.0251.0376/', 'echo > /dev/tcp/169.254.169.254/80'], no: ['curl http://169.254.1.1', 'grep 169.254.169.254 log', 'curl http://1169.254.169.254.example'] },
  {
    id: 'D23', description: 'docker container lifecycle', programs: ['docker', 'podman', 'docker-compose', 'podman-compose', 'nerdctl', 'export'],
    test: stopsContainers,
    yes: ['docker compose down', 'docker stop x', 'docker restart x', 'docker kill x', 'docker -H ssh://x ps', 'docker-compose -f a.yml down -v', 'docker rm -f x', 'docker system prune -f', 'docker context use x', 'podman stop x', 'DOCKER_HOST=ssh://x docker ps', 'export DOCKER_HOST=ssh://x; docker ps', 'docker stack rm x', 'docker swarm leave', 'docker image rm -f x'],
    no: ['docker ps', 'docker run -h n img', 'docker compose up -d', 'docker logs x', 'docker build .', 'docker compose ps'],
  },
  {
    id: 'D23p', description: 'container with the whole host in reach', programs: ['docker', 'podman', 'nerdctl'],
    test: (command) => /^(?:container )?(?:run|create) /.test(`${words(command).join(' ')} `) && argsOf(command).some((arg, at, args) => /^--privileged(?:=true)?$/.test(arg) || bindsRoot(arg, args[at - 1])),
    yes: ['docker run --privileged alpine sh', 'docker run -v /:/host alpine rm -rf /host', 'docker run --rm --volume=/:/h:rw a', 'docker create --mount type=bind,source=/,target=/h a', 'docker run -itv /:/h a'],
    no: ['docker run -v /srv:/srv a', 'docker run -v "$PWD":/app a', 'docker run --mount type=bind,source=/srv,target=/ a', 'docker build --privileged .'],
  },
  { id: 'D24', description: 'package uninstall', programs: ['npm', 'pnpm', 'yarn', 'bun', 'pip*', 'uv', 'conda', 'apt', 'apt-get', 'yum', 'dnf', 'zypper', 'apk', 'brew', 'snap', 'flatpak', 'cargo', 'gem', 'choco', 'winget', 'rpm', 'dpkg', 'pacman', 'yay', 'paru', 'python*', 'poetry', 'pdm', 'pipenv', 'mamba', 'micromamba', 'aptitude', 'composer', 'dotnet', 'rustup', 'opkg', 'port', 'pkg', 'nix', 'scoop'], test: removesPackage, yes: ['npm un -g x', 'npm uninstall x', 'pip uninstall -y x', 'sudo apt-get purge x', 'brew uninstall x', 'pacman -Rns x', 'npm --prefix d uninstall x', 'npm --registry http://h uninstall a', 'pip --proxy http://p uninstall -y x', 'python3 -m pip uninstall -y x', 'poetry remove x', 'dotnet remove package x'], no: ['npm install', 'npm run rm', 'pip install x', 'apt list', 'npm test', 'dpkg -l', 'rpm -qa'] },
  { id: 'D28', description: 'change of scheduled jobs or accounts', programs: ['crontab', 'userdel', 'groupdel', 'passwd', 'visudo', 'usermod'], test: (command) => !((command.program === 'crontab' && flagsOf(argsOf(command)).includes('-l')) || (command.program === 'visudo' && flagsOf(argsOf(command)).includes('-c'))), yes: ['crontab -r', 'userdel x', 'passwd root'], no: ['crontab -l', 'visudo -c', 'man passwd'] },
];

/** `sudo su`, `sudo bash`: the same as `sudo -s`. */
function opensRootShell(all: Simple['words']): boolean {
  return innersOf(all, wrappers.get('sudo') ?? {}).some(({ words: [program, ...args] }) => {
    if (program?.text === 'su') return args.every(({ text }) => /^(?:-|-l|--login|root)$/.test(text));
    return isShell(program?.text ?? null) && args.every(({ text }) => /^(?:-[il]|--login)$/.test(text));
  });
}

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
  return own.some((arg) => /^--(?:yolo|allow|home)(?:=|$)/.test(arg)) || /(?:^| )(?:approvals approve|pairing (?:approve|revoke|clear-pending)|hooks accept|token create|service (?:stop|uninstall)|net (?:allow|forget)|config set (?:approvals|security|hooks|command_allowlist|terminal|network)\S*)(?: |$)/.test(own.join(' '));
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
  if (command.program === 'export') return false;
  let at = 0;
  while (args[at]?.startsWith('-') === true) {
    if (/^(?:-H|--host|-c|--context|--url|--connection)(?:=|$)|^-H./.test(args[at] ?? '') && command.program !== 'docker-compose') return true;
    at += /^(?:-f|--file|-p|--project-name|--config|-l|--log-level|--project-directory|--profile|--env-file)$/.test(args[at] ?? '') ? 2 : 1;
  }
  const rest = args.slice(at).filter((arg, index, all) => !arg.startsWith('-') && !/^(?:-f|--file|-p|--project-name|--profile|--env-file)$/.test(all[index - 1] ?? ''));
  const [first = '', second = ''] = command.program?.endsWith('compose') === true ? ['compose', rest[0]] : rest;
  const group = /^(?:compose|container|stack|service|swarm|pod|image)$/.test(first);
  const verb = group ? second : first;
  if (/^(?:stop|restart|kill|down|pause)$/.test(verb)) return true;
  if (/^rmi?$/.test(verb)) return flagsOf(args).some((flag) => flag === '-f' || flag === '--force') || (group && /^(?:compose|stack|service)$/.test(first));
  return second === 'prune' || /^(?:context use|swarm leave|system reset|volume rm)$/.test(`${first} ${second}`);
}
