/**
 * docker, by its reference: looking, and containers, images and compose projects that reach nothing of the host. What runs inside is
 * a command of its own, which another rule must cover. Absent: directories of the host, devices, namespaces and capabilities, files that
 * docker writes (`cp`, `save`, `-o`), other engines and configurations, plugins.
 */
import type { Model } from './model.ts';

const kinds = {
  /** A volume by its name: a path would be a directory of the host. */
  volume: (text: string): boolean => /^[a-zA-Z\d][\w.-]+:\/[^:]*(?::(?:ro|rw))?$/.test(text),
  /** Not the host's, and not another container's. */
  network: (text: string): boolean => /^[a-zA-Z\d][\w.-]*$/.test(text) && text !== 'host',
  context: (text: string): boolean => /^(?![^]*(?:^|\/)\.\.(?:\/|$))[\w.][\w./-]*$/.test(text),
};

const model = (options: string, operands = 'any*'): Model => ({ style: 'whole', options, operands, kinds });

/** The letters in every order, since a single dash begins one name here. */
const attached = '-i -t -d -it -ti -dit -dti -itd -id -di -td -dt --interactive --tty --detach';

const ps = model(
  '-a -n:measure -l -q -s -aq -qa -f:text --all --last:measure --latest --quiet --size --no-trunc --filter:text ' +
    '--format:text',
);
const images = model('-a -q -aq -qa -f:text --all --quiet --digests --no-trunc --filter:text --format:text --tree');
const logs = model('-f -t -n:word --follow --timestamps --tail:word --since:text --until:text --details');
const inspect = model('-f:text -s --format:text --size --type:word');
const ids = model('-t:number -f -s:word --time:number --timeout:number --signal:word');
const remove = model('-f -v -fv -vf --force --volumes --no-prune');
const prune = model('-f -a -af -fa --force --all --filter:text --volumes');
const list = model('-q -f:text --quiet --filter:text --format:text --no-trunc');
const none = model('');
const pull = model('-a -q --all-tags --quiet --platform:word');

const run = model(
  `${attached} --rm --init --read-only -e:text --env:text -p:text --publish:text -w:text --workdir:text -u:word ` +
    '--user:word --name:word -h:word --hostname:word -v:volume --volume:volume --network:network --net:network ' +
    '-m:word --memory:word --cpus:word --cpu-shares:number --pids-limit:measure --shm-size:word --restart:word ' +
    '--platform:word --pull:word -l:text --label:text --stop-signal:word --stop-timeout:number --tmpfs:text',
  'any',
);

const exec = model(`${attached} -e:text --env:text -u:word --user:word -w:text --workdir:text`, 'any');

const build = model(
  '-t:word -f:context -q --tag:word --file:context --target:word --build-arg:text --no-cache --pull --quiet ' +
    '--progress:word --platform:word --label:text --rm --force-rm --load --no-cache-filter:word',
  'context',
);

const compose: Model = {
  style: 'whole',
  options: '--profile:word --ansi:word --progress:word --parallel:measure -p:word --project-name:word --dry-run',
  kinds,
  commands: {
    up: model(
      '-d -V -y --detach --build --no-build --force-recreate --no-recreate --remove-orphans --wait ' +
        '--wait-timeout:number --no-deps --no-start --quiet-pull --pull:word --scale:text --timeout:number ' +
        '-t:number --abort-on-container-exit --exit-code-from:word --always-recreate-deps --no-log-prefix ' +
        '--attach:word --no-attach:word',
    ),
    down: model('-v -t:number --volumes --remove-orphans --rmi:word --timeout:number'),
    ps: model('-a -q --all --quiet --services --filter:text --format:text --status:word --orphans --no-trunc'),
    logs: model(
      '-f -t -n:word --follow --timestamps --tail:word --since:text --until:text --no-color --no-log-prefix ' +
        '--index:number',
    ),
    build: model('-q --no-cache --pull --quiet --with-dependencies'),
    pull: model('-q --quiet --ignore-pull-failures --include-deps --policy:word'),
    start: none,
    stop: model('-t:number --timeout:number'),
    restart: model('-t:number --timeout:number --no-deps'),
    rm: model('-f -s -v --force --stop --volumes'),
    kill: model('-s:word --signal:word'),
    images: model('-q --quiet --format:text'),
    top: none,
    ls: model('-a -q --all --quiet --filter:text --format:text'),
    config: model('-q --quiet --services --images --volumes --profiles --hash:word --format:word'),
    port: none,
    version: model('--short'),
  },
};

export const docker: Model = {
  style: 'whole',
  options: '-v --version',
  commands: {
    ps,
    images,
    logs,
    inspect,
    run,
    exec,
    build,
    compose,
    pull,
    rm: remove,
    rmi: remove,
    start: none,
    stop: ids,
    restart: ids,
    kill: ids,
    pause: none,
    unpause: none,
    wait: none,
    rename: none,
    tag: none,
    top: none,
    port: none,
    diff: none,
    version: model('-f:text --format:text'),
    info: model('-f:text --format:text'),
    stats: model('-a --all --no-stream --no-trunc --format:text'),
    history: model('-q -H --quiet --human --no-trunc --format:text'),
    search: model('-f:text --filter:text --limit:number --no-trunc --format:text'),
    events: model('-f:text --filter:text --since:text --until:text --format:text'),
    container: {
      style: 'whole',
      commands: {
        ls: ps,
        list: ps,
        ps,
        run,
        exec,
        logs,
        inspect,
        rm: remove,
        start: none,
        stop: ids,
        restart: ids,
        kill: ids,
        prune,
        top: none,
        stats: none,
      },
    },
    image: {
      style: 'whole',
      commands: { ls: images, list: images, inspect, pull, rm: remove, prune, tag: none, build, history: none },
    },
    volume: { style: 'whole', commands: { ls: list, list, inspect, rm: remove, prune } },
    network: { style: 'whole', commands: { ls: list, list, inspect, rm: remove, prune } },
    system: { style: 'whole', commands: { df: model('-v --verbose --format:text'), info: none, prune } },
  },
};
