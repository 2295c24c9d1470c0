/** Promises that are kept by `??=`: one that is rejected stays so for ever, unless it is forgotten. */

/** Ends, and parts of one call: done once, whatever comes of it. The other two forget their failures in more than one place. */
const once = new Set([
  'src/acp/agent.ts: begun',
  'src/cli/context.ts: file',
  'src/cli/context.ts: line',
  'src/cli/context.ts: local',
  'src/cli/context.ts: opened',
  'src/client/exec/input.ts: #socket',
  'emulators/modal/live-sandbox.ts: #ending',
  'src/journal/spill.ts: #pumping',
  'src/exec/running.ts: #killing',
  'src/files/archive/send.ts: disposed',
  'src/files/watch/watch.ts: #ending',
  'src/http/serve.ts: done',
  'src/network/dial/fetch.ts: #closing',
  'src/service/caisson.ts: #closing',
  'src/service/files/admission.ts: begun',
  'src/service/files/tools.ts: admitted',
  'src/service/webhooks/deliveries.ts: #closing',
  'backends/shared/host-process.ts: #proof',
  'backends/docker/engine/events.ts: #ready',
  'backends/docker/exec/process.ts: #classified',
]);

/** Places that keep a promise without `remembered`, and without forgetting it in the same statement. */
export function keptPromises(house: ReadonlyMap<string, string>): readonly string[] {
  return [...house].flatMap(([path, text]) => {
    const kept = new Set([...text.matchAll(/\?\?= *import\(/g)].map(() => `${path}: import`));
    for (const [, name = ''] of text.matchAll(/(#?\w+): (?:Promise|ReturnType)<[^;=]*\| null\b/g))
      if (statementsOf(text, name).some((each) => !each.includes('.finally('))) kept.add(`${path}: ${name}`);
    return [...kept].filter((each) => !once.has(each));
  });
}

function statementsOf(text: string, name: string): readonly string[] {
  return text
    .split(new RegExp(`(?<![\\w#])${name} \\?\\?= `))
    .slice(1)
    .map((rest) => rest.slice(0, 400).split(/;\n\s*\n|;\n {2}\}/)[0] ?? '');
}
