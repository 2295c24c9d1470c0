/** The text of a first configuration file. Pure. */
export interface InitialConfig {
  readonly backend: string;
  /** What the backend says of itself. */
  readonly summary: string;
  /** Address of the engine that the environment names. `null`: it names none. */
  readonly host: string | null;
  /** The image to use, with the others that are there. `null`: the backend has no image here, or needs none. */
  readonly image: string | null;
  readonly others: readonly string[];
  /** Key of the image. `null`: the backend has none. */
  readonly imageKey: string | null;
  /** Why the place cannot limit what a sandbox writes. `null`: it can. */
  readonly noDisk: string | null;
}

/** Shown with their defaults, and commented out: they hold as they are. */
const shown: readonly (readonly [key: string, about: string])[] = [
  ['terminal.container_cpu', 'CPU cores of a sandbox, may be a fraction. null: no limit.'],
  ['terminal.container_memory', 'Memory of a sandbox, such as 5120 (megabytes) or 2g. null: no limit.'],
  ['terminal.container_disk', 'What a sandbox may write, such as 10g. null: no limit.'],
  ['terminal.container_persistent', 'Keep the workspace and the home directory of a task when its sandbox ends.'],
  ['terminal.timeout', 'Seconds, or a time such as 5m, after which a command is killed. null: never.'],
  ['terminal.lifetime_seconds', 'Seconds without use after which a sandbox is stopped; its files stay.'],
  ['terminal.env_passthrough', 'Names of variables of this machine that commands see.'],
  ['approvals.mode', 'Who answers for dangerous commands on local and ssh: manual, smart (a model first) or off.'],
  ['approvals.timeout', 'Seconds after which a question without an answer is a refusal.'],
];

const disk = 'terminal.container_disk';
const maxOthers = 5;

export function initialConfig(found: InitialConfig, valueOf: (key: string) => unknown): string {
  const sections = Map.groupBy(shown, ([key]) => sectionOf(key));
  const text = (section: string): string =>
    (sections.get(section) ?? [])
      .map(([key, about]) =>
        key === disk && found.noDisk !== null
          ? noDiskText(about, found.noDisk)
          : `\n  # ${about}\n  # ${nameOf(key)}: ${plain(valueOf(key) ?? null)}\n`,
      )
      .join('');
  return `# Configuration of Caisson for what this machine has. A key that is absent has its default: \`caisson config show\` lists all of
# them with their values. \`caisson config check\` checks this file after an edit.

terminal:
  # ${comment(found.summary)}
  backend: ${found.backend}
${hostText(found)}${imageText(found)}${text('terminal')}
# approvals:${text('approvals').replaceAll('\n  #', '\n#  ')}`;
}

/** Not commented out: the limit of the defaults would be listed as missing with every sandbox. */
function noDiskText(about: string, reason: string): string {
  return `\n  # ${about}\n  # This place has no such limit: ${comment(reason)}\n  ${nameOf(disk)}: null\n`;
}

/** Kept, since hosts of MCP start programs with few variables. */
function hostText({ host }: InitialConfig): string {
  if (host === null) return '';
  return `\n  # The engine of DOCKER_HOST, for programs that start Caisson without this variable.\n  docker_host: ${JSON.stringify(host)}\n`;
}

function imageText({ imageKey, image, others }: InitialConfig): string {
  if (imageKey === null) return '';
  if (image === null)
    return `\n  # Image of new sandboxes. None is here yet: \`caisson image build base\` makes one without a registry.\n  # ${imageKey}: caisson/base:latest\n`;
  const also = others.length === 0 ? '' : ` Also here: ${others.slice(0, maxOthers).map(comment).join(', ')}.`;
  return `\n  # Image of new sandboxes; it is here.${also}\n  ${imageKey}: ${image}\n`;
}

function sectionOf(key: string): string {
  return key.split('.', 1)[0] ?? key;
}

function nameOf(key: string): string {
  return key.slice(key.indexOf('.') + 1);
}

function plain(value: unknown): string {
  return typeof value === 'string' && /^[a-z]+$/.test(value) ? value : JSON.stringify(value);
}

/** What an engine says of itself stays within its comment. */
function comment(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 200);
}
