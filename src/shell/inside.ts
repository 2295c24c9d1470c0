/** Commands for a container, or for a pod: they run elsewhere, but what they say counts. */
import { afterOptions } from './options.ts';
import type { Unwrapped } from './unwrapped.ts';
import type { Word } from './types.ts';

const engines = new Set(['docker', 'podman', 'nerdctl', 'kubectl', 'docker-compose', 'podman-compose']);

export function unwrapInside(program: string, words: readonly Word[]): Unwrapped | null {
  return engines.has(program) ? execInside(words) : null;
}

const flagsOfRun =
  /^-[ditP]+$|^--(?:rm|init|privileged|read-only|publish-all|detach|interactive|tty|no-healthcheck|oom-kill-disable|quiet|no-deps|build|service-ports|no-TTY|use-aliases|remove-orphans)$|=/;

/** `docker run -it IMAGE COMMAND`, `docker compose run SERVICE COMMAND`. */
function runInside(words: readonly Word[]): Unwrapped | null {
  const verb = words.findIndex(({ text }, index) => index > 0 && index < 8 && text === 'run');
  if (verb < 0 || words.slice(1, verb).some(({ text }) => /^(?:exec|build|logs|pull|push|tag)$/.test(text)))
    return null;
  let at = verb + 1;
  while (words[at]?.text.startsWith('-') === true) at += flagsOfRun.test(words[at]?.text ?? '') ? 1 : 2;
  const inner = words.slice(at + 1);
  return inner.length === 0 ? null : { commands: [inner], elsewhere: 'container' };
}

/** `docker exec -it NAME COMMAND`, `kubectl exec NAME -- COMMAND`, also below `compose`. */
function execInside(words: readonly Word[]): Unwrapped | null {
  const at = words.findIndex(({ text }, index) => index > 0 && index < 8 && text === 'exec');
  if (at < 0) return words[0]?.text.endsWith('kubectl') === true ? null : runInside(words);
  const form = {
    short: 'euwcn',
    long: ['--env', '--user', '--workdir', '--container', '--namespace', '--env-file', '--index'],
  };
  const inner = words.slice(
    afterOptions(words, afterOptions(words, at + 1, form) + 1, { short: 'cn', long: ['--container', '--namespace'] }),
  );
  return inner.length === 0 ? null : { commands: [inner], elsewhere: 'container' };
}
