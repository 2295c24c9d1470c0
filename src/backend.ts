/**
 * The contract between Caisson and a place where commands can run.
 *
 * Words
 *   backend    a kind of place: local, ssh, docker, singularity, modal, daytona, kubernetes
 *   sandbox    one live isolated environment in that place, made from a spec for a task
 *   ref        versioned plain JSON by which a backend finds a sandbox again, also from another process
 *   process    one started command, with its byte streams
 *   facet      an optional ability: an object that is present or absent. Presence is the flag: no method throws
 *              "not supported", and no method silently does nothing
 *   guarantee  a promise as data, so that core can compare it with a spec before anything is created
 *
 * Who does what
 *   Core validates, merges environments, decides policy, sets deadlines, caps and keeps output, kills whole process
 *   trees, records, retries and reaps. It does so once, for all backends, by means of this contract alone. A backend
 *   may therefore assume complete and legal input, and does one thing: place a sandbox, and start argv in it.
 *
 * Rules that bind every backend
 *   - Commands are argv arrays. `cwd` and `env` travel by the place's own means and are never spliced into shell text.
 *     Where a shell is wanted, core passes `["sh", "-c", text]` itself.
 *   - Nothing is weakened silently. What `guarantees()` promises is enforced on every sandbox, and a spec that asks for
 *     more is refused by core before `create` is called. A backend that finds out later that it cannot hold a promise
 *     fails `create` with `not_supported` and removes what it made.
 *   - `destroy`, `kill` and `close` are idempotent, also for what is already gone or was never known.
 *   - Every resource carries its labels from the moment it exists, so that `list` can find it after any crash.
 *   - Resources of others are never touched: a name that is taken by something without our labels is a `conflict`.
 *   - A backend keeps no table of tasks. What it needs to find a sandbox again is in the ref or in the place itself.
 *   - Values of the environment never reach argv on the host, labels, logs, error messages or `details`.
 *   - Errors are `CaissonError`s, classified from a status or a typed error, never from the words of a message:
 *       `unavailable`          the place cannot be reached, or the connection broke
 *       `not_found`            the sandbox (or the image) is not there any more
 *       `failed_precondition`  it is there but in no state to do this, for example stopped
 *       `not_supported`        the place lacks a control or ability
 *       `resource_exhausted`   the place is full: disk, process slots, a rate limit
 *       `canceled`             the caller's signal fired
 *     The cause is always kept.
 *   - Everything that comes back from a sandbox is hostile: stream frames, names, numbers. Lengths are bounded, memory
 *     per process is O(buffer) whatever the command prints.
 *   - A signal that fires stops waiting at once and leaves nothing half-made: an aborted `create` removes what it had
 *     created, an aborted `exec` starts no command or ends the one it started.
 */
import type { Readable, Writable } from 'node:stream';
import type { CaissonError } from './errors.ts';

/** What the author of a backend needs beside these types; `caisson/backend` is this file. */
export { abortError, CaissonError, type Code, isCode } from './errors.ts';

// --- what is wanted -------------------------------------------------------------------------------------------------

export type NetworkMode =
  /** Outbound traffic as the host has it, nothing inbound, no traffic between sandboxes. */
  | 'open'
  /**
   * Loopback, and on its port 3128 the door of the sandbox (see `CreateOptions.door`). No other way out, not even for names:
   * those are resolved behind the door. Where the place filters by itself (see `Guarantees.filter`): what its list allows.
   */
  | 'filtered'
  /** `filtered`, where every public name is allowed and recorded. A backend never sees it: core asks it for `filtered`. */
  | 'observe'
  /** Loopback only. */
  | 'none';

export interface Limits {
  /** Cores, may be a fraction. `null`: no limit asked for. */
  readonly cpuCores: number | null;
  /** Bytes of memory and swap together: the sandbox gets no swap beyond them. `null`: no limit asked for. */
  readonly memoryBytes: number | null;
  /** What the sandbox may write outside its tmpfs mounts. */
  readonly diskBytes: number | null;
  /** Processes and threads. */
  readonly pids: number | null;
}

export type LimitName = keyof Limits;

/** A host path bound into the sandbox. Core has resolved it by real path and checked it against policy. */
export interface Mount {
  /** Absolute path on the host. */
  readonly source: string;
  /** Absolute path inside the sandbox. */
  readonly target: string;
  /** Whether the sandbox may only read it. */
  readonly readOnly: boolean;
}

/** Which file it is, as the kernel of this host counts (stat(2)). */
export interface FileIdentity {
  /** Number of the device. */
  readonly device: bigint;
  /** Number of the inode. */
  readonly inode: bigint;
}

export interface Hardening {
  /** Everything but mounts and tmpfs is read-only. */
  readonly readOnlyRoot: boolean;
  /** `builtin`: Caisson's own profile, the engine's default list for one architecture. `engine`: the engine's default. */
  readonly seccomp: 'builtin' | 'engine';
  /** An OCI runtime by the name the engine knows it (`runc`, `crun`, `runsc`, `kata`). `null`: the engine's default. */
  readonly runtime: string | null;
  /** Size of /dev/shm. `null`: the engine's default. */
  readonly shmBytes: number | null;
  /** `root` inside the sandbox, with three capabilities; or the host user that runs Caisson, with none. */
  readonly user: 'root' | 'host';
}

/**
 * A wanted sandbox: validated, immutable, the same for every process that computes it from the same input.
 * Core stores and fingerprints it; a backend reads it. `null` always means "not asked for", never "default".
 */
export interface Spec {
  /** Name of the backend. */
  readonly backend: string;
  /** Name of the image, in the backend's own form. `null` where the backend has no images (local, ssh). */
  readonly image: string | null;
  /** Limits of the whole sandbox. */
  readonly limits: Limits;
  /** What the sandbox may connect to. */
  readonly network: NetworkMode;
  /** Present where the network is `filtered`, and held by a list of the place and no door: see `Guarantees.filter`. */
  readonly filteredBy?: 'place';
  /** Whether files survive the end of the sandbox's processes, a restart of the service and of the place. */
  readonly persistent: boolean;
  /** Directory in which commands start unless they say otherwise. Absolute, inside the sandbox. */
  readonly cwd: string;
  /** Host paths to bind. */
  readonly mounts: readonly Mount[];
  /** Hardening options. */
  readonly hardening: Hardening;
}

// --- what is promised -----------------------------------------------------------------------------------------------

/** How a limit is held, or why it cannot be. `by` names the mechanism for people: "cgroup v2", "btrfs quota". */
export type Enforcement =
  | { readonly enforced: true; readonly by: string }
  | { readonly enforced: false; readonly reason: string };

/**
 * What holds for every sandbox of this backend in this place. Data, so that a spec can be compared with it before
 * anything exists. It is read from the place once and does not change until `close`.
 */
export interface Guarantees {
  /** Boundary between a command and the host that runs it. */
  readonly isolation: 'none' | 'remote-host' | 'container' | 'vm';
  /**
   * Whether a sandbox can see nothing of another one, so that owners who do not trust each other may have one each. Absent:
   * they share something (an account, a home, a list of processes), and only the operator has sandboxes here.
   */
  readonly apart?: true;
  /** Whether `create` can log in to a registry for the image. Absent: it cannot. */
  readonly registryLogins?: true;
  /** How each limit is held, or why not. */
  readonly limits: Readonly<Record<LimitName, Enforcement>>;
  /** Modes the place can really give. */
  readonly network: readonly NetworkMode[];
  /** Present where `filtered` is held by an allow list of the place itself: see `CreateOptions.egress`. Absent: by a door. */
  readonly filter?: PlaceFilter;
  /**
   * How `none` is held. `no-route`: a sandbox has no route but to itself, which core looks at before its first
   * command; a place that gives one all the same has the sandbox ended. `filter`: routes are there and packets are dropped
   * outside, which cannot be seen from inside: the backend reads back what the service has set, and fails `create` or
   * `start` with `not_supported` where that is another mode. Absent: `no-route`.
   */
  readonly noneBy?: 'no-route' | 'filter';
  /**
   * Whether sandboxes whose network is `open` are kept from what `OpenOptions.refusals` names. `runtimes`: those of
   * `hardening.runtimes` in which it holds; the engine's default is among them. Absent: the place is nothing of the
   * operator's network, or none of its sandboxes has a network of its own.
   */
  readonly refusals?: Enforcement & { readonly runtimes?: readonly string[] };
  /**
   * How a persistent sandbox keeps its files. `directory`: core makes a directory of the task's own on this host and
   * passes it to `create`. `place`: the place keeps them by its own means. `none`: it cannot keep any.
   */
  readonly persistence: 'directory' | 'place' | 'none';
  /**
   * Whether the files of a persistent sandbox go when its resource is removed by others, where `persistence` is `place`.
   * Core then fails with `failed_precondition` when `attach` answers `not_found`, instead of making a sandbox without the
   * files, until the operator has said that they may go. Absent: the files outlive the resource.
   */
  readonly filesGoWithSandbox?: true;
  /** Whether the disk limit holds for what is kept in that directory too. Absent: it does not. */
  readonly persistentDisk?: boolean;
  /**
   * Directories where commands start by default, in a place whose file system is not the sandbox's own: `home`, or for
   * a task its own directory, which is `tasks` and the task's id. Absent: the place has no opinion.
   */
  readonly directories?: { readonly home: string; readonly tasks: string };
  /** Whether a spec with `persistent: false` loses everything at `destroy`. False on local: the host is the host. */
  readonly ephemeral: boolean;
  /** Whether a sandbox and its processes live on when the process that made it ends. */
  readonly survivesRestart: boolean;
  /** What `Process.kill` reaches. The whole tree is core's business; this is its last resort. */
  readonly kill: 'process' | 'group' | 'tree';
  /**
   * Present where commands can run as another user of the sandbox (`Sandbox.users`). `unheld` has a sentence for each thing that
   * does not hold for them. Absent: core refuses such a command before it makes a sandbox.
   */
  readonly users?: { readonly unheld: readonly string[] };
  /** Kinds of mounts that the place can give. */
  readonly mounts: 'read-only' | 'read-write' | 'none';
  /**
   * How files with credentials come in. `bind`: the place shows `CreateOptions.credentials`, so that their content is
   * never on a disk of the sandbox. `copy`: core writes them in by commands, and removes them before the sandbox ends.
   */
  readonly credentials: 'bind' | 'copy';
  /** Hardening options that can be given. An absent one is refused when a spec asks for it. */
  readonly hardening: {
    readonly readOnlyRoot: boolean;
    readonly seccomp: boolean;
    /**
     * Whether `CreateOptions.refuseSetid` is held under the builtin filter of system calls, by the default runtime and by these.
     * Absent: it is not.
     */
    readonly setid?: { readonly refused: boolean; readonly runtimes: readonly string[] };
    readonly runtimes: readonly string[];
    readonly shm: boolean;
    readonly hostUser: boolean;
  };
}

/** What core has to know of an allow list to say rules by it, or to refuse rules that it cannot say. */
export interface PlaceFilter {
  /** Ports that a name on the list opens: each of them, and no others. */
  readonly ports: readonly number[];
  /** Length of the longest list that the place takes. */
  readonly mostHosts: number;
}

/** One thing that `check` found: a version with known holes, a missing kernel feature. */
export interface Finding {
  /** `error`: sandboxes should not be run before it is mended. */
  readonly severity: 'warning' | 'error';
  /** A stable word or a CVE id. */
  readonly id: string;
  /** One sentence: what was found. */
  readonly message: string;
  /** One sentence or command that mends it. */
  readonly remedy: string;
}

/** The state of a backend as `doctor` shows it. An absent or ill backend is an answer here, not an error. */
export interface Check {
  /** `missing`: the place is not there. `unhealthy`: it is there and cannot be used. */
  readonly status: 'ready' | 'unhealthy' | 'missing';
  /** One sentence: what is there, or what is missing. */
  readonly summary: string;
  /** How to get it, when it is not `ready`. */
  readonly remedy: string | null;
  /** Versions, driver names and other facts as the place tells them. */
  readonly facts: Readonly<Record<string, string | number | boolean | null>>;
  /** Known problems of this version or configuration. */
  readonly findings: readonly Finding[];
}

// --- finding things again -------------------------------------------------------------------------------------------

/** Written on every resource before it can be lost. Values fit `[A-Za-z0-9_.:-]{1,63}`, the strictest label grammar. */
export interface Labels {
  /** The state directory that owns the resource. Two installations on one engine never touch each other's. */
  readonly instance: string;
  /** Id of the sandbox. */
  readonly sandbox: string;
  /** Id of the task. */
  readonly task: string;
  /** Hash of the spec, by which a resource made from an older spec is recognised. */
  readonly fingerprint: string;
  /** RFC 3339, UTC. */
  readonly created: string;
  /** Version of this label set. */
  readonly schema: string;
}

/** Opaque to everyone but the backend that made it. Stored by core as it is; `v` lets the backend change its form. */
export interface Ref {
  /** Version of the form of this ref. */
  readonly v: number;
  readonly [key: string]: string | number | boolean | null;
}

/**
 * `unresponsive`: the place lists it, and its host does not answer, so that nothing of its processes is known or can be changed.
 * Core starts no command there, nor another sandbox in its place.
 */
export type ResourceState = 'created' | 'running' | 'paused' | 'stopped' | 'unresponsive' | 'unknown';

export interface Listed {
  /** Ref for `attach`. */
  readonly ref: Ref;
  /** Labels as the place returned them. */
  readonly labels: Labels;
  /** State that the place reports. */
  readonly state: ResourceState;
}

// --- the three contracts --------------------------------------------------------------------------------------------

export interface Cancelable {
  /** Stops waiting when it fires. */
  readonly signal?: AbortSignal;
}

export interface GuaranteesOptions extends Cancelable {
  /**
   * `known`: no resource is made to try what the place does; what no earlier trial has shown is not promised. For a look at places that
   * may never be used. Absent: a backend may make some, and removes them.
   */
  readonly trial?: 'known';
}

export interface CheckOptions extends Cancelable {
  /** `anew`: what takes a trial is tried, by resources that are made and removed, whatever earlier trials have shown. Absent: those count. */
  readonly trial?: 'anew';
}

/** Shown to people while a long step runs. `total` and `done` are bytes or steps; `null` when unknown. */
export interface Progress {
  /** Step, for people: "pulling debian:13". */
  readonly what: string;
  /** Bytes or steps done. `null`: not known. */
  readonly done: number | null;
  /** Bytes or steps in all. `null`: not known. */
  readonly total: number | null;
}

export interface CreateOptions extends Cancelable {
  /** Unique and the same on every try, so that a lost answer cannot leave two resources. */
  readonly name: string;
  /** Labels of every resource that is made. */
  readonly labels: Labels;
  /** The task's own directory on this host, 0700, present when `guarantees().persistence` is `directory` and the spec is persistent. */
  readonly directory: string | null;
  /**
   * A directory of this host, 0700, with credential files of the sandbox, read-only; given only where
   * `guarantees().credentials` is `bind`. It is shown as it is at each moment: files in it are replaced by rename, come and
   * go while the sandbox runs, also through stop and start. A link at the target, or on the way to it in the task's
   * directory, is a `conflict` and not followed. No snapshot holds it.
   */
  readonly credentials: Mount | null;
  /**
   * Present where other users of this host can reach a writable mount: no command may give a file the setuid or setgid bit, since
   * they could run such a file as its owner. Core gives it only where `Guarantees.hardening.setid` promises it for the spec.
   */
  readonly refuseSetid?: true;
  /**
   * How the image may be had, where a login for its registry is configured. Given with a login only to a backend that promises
   * `registryLogins`. Neither the name nor the password is kept, nor reaches argv, labels, logs or errors.
   */
  readonly registry?: RegistryAccess | undefined;
  /**
   * What the sandbox's first process runs, where the place lets the caller choose (see `Sandbox.init`): it does not end
   * by itself, also when its stdin ends, and it reaps orphans, so a place needs no init of its own beside it. Its stdin
   * stays open when the attached client goes. A backend without such a process ignores it and leaves `init` absent.
   */
  readonly init: readonly [string, ...string[]];
  /**
   * Present where the spec's network is `filtered`: a directory of this host with a unix socket named `door`, to which every user
   * who sees it may connect; on this host only the user of Caisson can get there. Bytes that come in on port 3128 of the sandbox's loopback go there, and nowhere else. The socket is replaced
   * while the sandbox runs, and may have no listener: then connections are closed. It is there before `create`, and stays
   * until after `destroy`. After `power.start` the way is there again when it resolves.
   *
   * A backend whose sandboxes have a network namespace on this host need not carry bytes. It keeps a file `entrance` in the
   * directory while the sandbox runs, written in one step before `create` and `power.start` resolve: `{"pid":N,"startedAt":"T"}`,
   * a process in the namespace by its number on this host and its start time (field 22 of proc_pid_stat(5)). Core then
   * listens on port 3128 in there, by the rights of the user of Caisson, before the first command.
   */
  readonly door?: string | undefined;
  /**
   * Names that the sandbox may connect to at the ports that the place promises in `filter`, and to nothing else. Present
   * instead of a door where the spec's network is `filtered`. `example.com` is that name alone, `*.example.com` what is below
   * it; an empty list closes the network, and so does an absent one where it should be present. A resource that a lost answer
   * left behind gets these names before `create` resolves.
   */
  readonly egress?: readonly string[] | undefined;
  /** Called now and then while a long step runs. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface RegistryAccess {
  /** Host of the registry, in the form that names of images have; `docker.io` for names without a host. */
  readonly host: string;
  /** `null`: the registry is asked without one. */
  readonly login: { readonly username: string; readonly password: string } | null;
  /** The registry is to be asked for the image also where the place has it: the login of another owner may have brought it. */
  readonly isAsked: boolean;
}

export interface ListOptions extends Cancelable {
  /** Instance whose resources are listed (`Labels.instance`). */
  readonly instance: string;
}

export interface Backend {
  /** Name under which the backend is registered. */
  readonly name: string;

  /** Asks the place once. Throws `unavailable` when it cannot be reached: unknown promises are not promises. */
  guarantees(options?: GuaranteesOptions): Promise<Guarantees>;

  /** Looks without changing anything, unless `trial` asks for more; never throws for an absent place. */
  check(options?: CheckOptions): Promise<Check>;

  /**
   * Makes and starts a sandbox. A resource of this `name` with the same sandbox and fingerprint labels is what a lost
   * answer left behind: it is started if need be and returned. One with our sandbox label but another fingerprint is
   * replaced. One without our labels is a `conflict`. On failure nothing stays.
   */
  create(spec: Spec, options: CreateOptions): Promise<Sandbox>;

  /**
   * Finds a sandbox again, in whatever state it is. Throws `not_found` when it is gone. Changes nothing: a stopped
   * sandbox stays stopped and can be started by its `power` facet.
   *
   * A sandbox that the service has ended by itself, and whose files are kept, is `stopped`, not gone. Its `ref` may then
   * differ from the one asked for (a snapshot instead of a container); core stores it before it starts the sandbox. One
   * whose files cannot be found any more is `stopped` as well: its `power.start` throws `failed_precondition`.
   */
  attach(ref: Ref, options?: Cancelable): Promise<Sandbox>;

  /** Every resource of the instance, also half-made and stopped ones. Order is not defined. */
  list(options: ListOptions): Promise<readonly Listed[]>;

  /** Gives back connections and what is shared by all sandboxes when none needs it. Sandboxes live on. */
  close(): Promise<void>;

  /** Present where the place keeps images. */
  readonly images?: Images;
  /** Present where hosts are known by keys. */
  readonly trust?: Trust;
  /** Present where sandboxes share resources. */
  readonly leftovers?: Leftovers;
  /** Present where the place is an account. */
  readonly account?: Account;
}

/** Facet of backends whose place is an account at a service, in which what runs costs money. */
export interface Account {
  /**
   * All that runs in the account or is kept there as a sandbox, also what carries no labels of Caisson; all pages, in no order.
   * Changes nothing. Throws `unavailable` when the service does not answer, `unauthenticated` when it refuses the
   * credentials.
   */
  list(options?: Cancelable): Promise<readonly AccountEntry[]>;
}

/** Names and numbers come from the service; core bounds what it shows. `null`: the service does not tell. */
export interface AccountEntry {
  /** Name of the resource in the service's own tools. */
  readonly name: string;
  /** State that the service reports. */
  readonly state: ResourceState;
  /** When it was created. RFC 3339, UTC. */
  readonly since: string | null;
  /** Cores that it is billed for. */
  readonly cpuCores: number | null;
  /** Bytes of memory that it is billed for. */
  readonly memoryBytes: number | null;
  /** Present when it is Caisson's: of this instance, or of another one that uses the account. */
  readonly labels: Pick<Labels, 'instance' | 'sandbox' | 'task'> | null;
}

/** Facet of backends whose sandboxes share resources, such as a network, that a crash can leave without a sandbox. */
export interface Leftovers {
  /** Shared resources of the instance that no sandbox uses now. */
  list(options: ListOptions): Promise<readonly { readonly name: string; readonly what: string }[]>;
  /** Removes them, unless a sandbox has come to use them meanwhile. Idempotent. */
  remove(options: ListOptions): Promise<void>;
}

/** Facet of backends whose hosts show who they are by a key that a person confirms once. */
export interface Trust {
  /**
   * Asks every host, and changes nothing. Of hosts that are reached over others, the first one on the way whose key is
   * not known is reported; what lies behind it cannot be asked yet.
   */
  look(options?: Cancelable): Promise<readonly HostKey[]>;
  /**
   * Remembers this key of this host, after the host has shown it once more. Succeeds also for a key that is known already.
   * Throws `conflict` when the host shows another key, `unauthenticated` for a key that is `refused`.
   */
  confirm(key: Pick<HostKey, 'host' | 'fingerprint'>, options?: Cancelable): Promise<void>;
}

/** The key that a host has shown. */
export interface HostKey {
  /** For people, and to name it in `confirm`. */
  readonly host: string;
  /** Such as `ssh-ed25519`. */
  readonly type: string;
  /** `SHA256:` and base64, as ssh-keygen(1) prints it. */
  readonly fingerprint: string;
  /** `unknown`: no key of this host has been confirmed. `refused`: it is revoked, or takes the place of another one. */
  readonly standing: 'known' | 'unknown' | 'refused';
  /** Why commands are not run there; `null` when the key is known. */
  readonly refusal: CaissonError | null;
}

/** Facet of backends that keep images of their own. */
export interface Images {
  /** Lists images that the place has. */
  list(options?: Cancelable): Promise<
    readonly {
      readonly reference: string;
      readonly id: string;
      readonly bytes: number;
      readonly created: string;
      readonly labels?: Readonly<Record<string, string>>;
    }[]
  >;
  /**
   * Makes an image from an uncompressed tar of a root file system. `config` is what an image file would declare. The image
   * that had the name before is removed, unless it has another name or a sandbox uses it.
   */
  importRootfs(
    reference: string,
    tar: Readable,
    config: { readonly env: Readonly<Record<string, string>>; readonly labels: Readonly<Record<string, string>> },
    options?: Cancelable,
  ): Promise<{ readonly id: string }>;
}

export interface Sandbox {
  /** Ref that finds the sandbox again. */
  readonly ref: Ref;
  /** State when this object was made. */
  readonly state: ResourceState;

  /** The place where commands run, in its own terms; part of every result. `null`: unknown, never a guess. */
  readonly place: {
    /** The machine or account: an engine's id, a host name, a region. */
    readonly host: string | null;
    /** The resource: a container id, a directory. */
    readonly resource: string;
    /** Content address of the image that really runs. `null`: the place does not say, or has not yet said. */
    readonly imageDigest: string | null;
  };

  /**
   * Starts a command. Resolves when the place has accepted it. Throws `not_found` when the sandbox is gone,
   * `failed_precondition` when it does not run, `invalid_argument` when `cwd` is not a directory that can be entered: in
   * these cases the command was not started. `cwd` never reaches the service of a container engine: a link in it would
   * be followed on the wrong side of the boundary. A program that is missing or not executable is an end, not an error:
   * see `ProcessEnd.notStarted`.
   */
  exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<Process>;

  /** Ends every process and removes every resource of this sandbox, but never the task's directory. Idempotent. */
  destroy(options?: DestroyOptions): Promise<void>;

  /**
   * Present where a service or a connection carries the output of commands, which may drop bytes and still end a stream
   * cleanly. Core then runs commands behind a shell of its own that prints a mark after the last byte. Absent where the
   * streams are pipes of this host: the kernel's end of file proves that every byte arrived.
   */
  readonly relay?: true;
  /**
   * Present beside `relay` where what is left of the output of a process is dropped some time after its end, read or not. The
   * shell of core then lives until the caller has the mark.
   */
  readonly dropsLate?: true;
  /**
   * Present where the input of a command stays open when this process ends, since the service and not a connection holds it. Shells
   * of core that wait for input then look for themselves whether this process lives.
   */
  readonly keepsInput?: true;
  /** The sandbox's first process, attached before it started. Present only on the object that `create` returned. */
  readonly init?: Process;
  /**
   * Directories that the image has made writable by itself, on a disk of the place: neither a read-only root nor a limit on disk
   * covers them. They go with the sandbox. Absent: none.
   */
  readonly volumes?: readonly string[];
  /**
   * Stops all processes, keeps files (tmpfs mounts excepted), starts again. Both are idempotent, and both go on with what
   * an earlier call has left that was cut off: `PowerOptions` has the order. `start` throws `failed_precondition`, with a
   * remedy, when the files cannot be restored; it never starts a sandbox without them.
   */
  readonly power?: { stop(options: PowerOptions): Promise<void>; start(options: PowerOptions): Promise<void> };
  /**
   * Present where the place lists a sandbox whose host may be gone. Ends what the place has on record of its processes, though
   * nothing has said that they ended; files are kept as by `power.stop`. Called on the word of the operator alone. Throws
   * `failed_precondition` while the sandbox is not `unresponsive`. Idempotent.
   */
  readonly abandon?: (options?: Cancelable) => Promise<void>;
  /**
   * Present on what `attach` returns when the place has ended the sandbox while no Caisson ran and files were lost with
   * it: those that are left are of the moment `since` (RFC 3339, UTC), so what was written later is gone. It is there until
   * the sandbox has been started. Absent where all files are kept, as after a snapshot that the service made at the end.
   */
  readonly lost?: { readonly since: string };
  /**
   * Present where the names of `CreateOptions.egress` can be replaced while the sandbox runs. Those that are given hold when it
   * resolves, and connections to others are cut as far as the place does that. Throws as `exec` does where it does not run.
   */
  readonly egress?: { replace(hosts: readonly string[], options?: Cancelable): Promise<void> };
  /**
   * Present where something of the place carries the bytes between the sandbox and its door, and may end while the sandbox runs.
   * `carries` is false where the sandbox runs and it does not, or in a network of before; it costs nothing as long as nothing has
   * happened. `restore` starts it again. Core asks before each use, and restores under the lease of the task.
   */
  readonly carrier?: { carries(): Promise<boolean>; restore(): Promise<void> };
  /** Present where the place can read what the sandbox uses. */
  readonly stats?: { read(options?: Cancelable): Promise<Stats> };
  /**
   * Present where the sandbox runs on the kernel of this host. The file that lies at the target of a mount, as the sandbox
   * sees it; a link is not followed. `null` when it cannot be seen from here. Core compares it with what it has checked,
   * since a path may come to lead elsewhere between the check and the mount.
   */
  readonly mounted?: { identify(target: string): Promise<FileIdentity | null> };
  /**
   * Present where the sandbox counts its processes in a namespace of its own and runs on the kernel of this host: those
   * that live in it and are not among `known`, as the kernel of this host sees them, not as anything inside reports them.
   * `null` when they cannot be seen from here. Core keeps commands apart from what earlier ones left behind with it.
   */
  readonly processes?: {
    list(known: ReadonlySet<number>): Promise<readonly SandboxProcess[] | null>;
    /** Lists all processes with details that take longer to read. */
    details(): Promise<readonly ProcessDetails[] | null>;
  };
  /**
   * Present where the sandbox runs on the kernel of this host: what that kernel says of its first process. `status` is the text
   * of proc_pid_status(5). Each is `null` when it cannot be seen from here. Programs of the image answer what they like.
   */
  readonly controls?: { status(): Promise<string | null>; network(): Promise<NetworkTables | null> };
  /**
   * How often the kernel has killed in this sandbox for memory, as far as the place has reported since this process attached. A place
   * that reports nothing by itself has `look`, which asks it, never throws, and is called when a command has ended as if it was killed.
   */
  readonly memory?: { kills(): number; look?(): Promise<void> };
  /**
   * Does what `exec` does, for shells that stay: a shell takes longer to start, and then its streams go past the place's own
   * services, which saves a good part of what a short command costs. Falls back to `exec` where that way proves closed.
   */
  readonly pipes?: { exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<Process> };
  /** Does what `exec` does, on a terminal. `stderr` of such a process is empty: a terminal has one stream. */
  readonly pty?: { exec(command: readonly [string, ...string[]], options: PtyOptions): Promise<PtyProcess> };
  /**
   * Present where the backend promises `Guarantees.users` and commands of this sandbox run as root unless they name a user. `as` gives
   * `exec` and `pty` for one user, which core has checked by its form. Both throw `invalid_argument` for a name that the sandbox
   * does not have: nothing was started then. Signals reach such a process as they reach others.
   */
  readonly users?: { as(user: string): Pick<Sandbox, 'exec' | 'pty'> };
}

/** Texts of the kernel about a network namespace (proc_net(5)): `/proc/net/dev`, `/proc/net/route`, `/proc/net/ipv6_route`. */
export interface NetworkTables {
  /** Counters of each interface, under two lines of head. */
  readonly devices: string;
  /** Routes of IPv4, under a line of head; empty where the namespace cannot be read. */
  readonly routes: string;
  /** Empty where the kernel has no IPv6. */
  readonly routes6: string;
}

/** A key of another program's configuration that has no counterpart here. */
export interface ForeignKey {
  /** Why it has no effect, for people. */
  readonly why: string;
  /** The value with which the other program does what Caisson does anyway, beside an empty one. */
  readonly same?: unknown;
  /** A file with it does not load: it would promise less than it says. Absent: a notice names it. */
  readonly isError?: true;
}

/**
 * A sandbox may be another resource when it is stopped: a snapshot instead of a container. Its ref is another one then, and
 * a crash at any moment must leave a stored ref that finds the files. So `stop` and `start`
 *
 *   1. make the new resource, with the same labels where the place has labels;
 *   2. await `onRef` with its ref, which resolves when the ref is stored;
 *   3. end the old resource.
 *
 * When `onRef` rejects, the new resource is removed, the old one stays as it is, and the call rejects with the same error.
 * After it has resolved, the object on which it was called is of no further use: core attaches by the new ref. A crash
 * between 2 and 3 leaves the old resource behind. The next `stop`, `start` or `destroy` by the new ref ends it: it is found
 * by its name or its labels. One between 1 and 2 leaves a new resource that no ref knows; the same calls by the old ref
 * remove it where the place can find it.
 *
 * `onRef` is called at most once, and not where the ref stays the same.
 */
export interface PowerOptions extends Cancelable {
  /** For `start`, as `CreateOptions.egress`: the names of now, which hold when it resolves. */
  readonly egress?: readonly string[] | undefined;
  /** Stores the ref of the new resource; see above. */
  readonly onRef: (ref: Ref) => Promise<void>;
}

/** Numbers of the sandbox's own namespace. A process that has ended and waits to be reaped is left out. */
export interface SandboxProcess {
  /** Process id. */
  readonly pid: number;
  /** 0: it was started from outside. */
  readonly parent: number;
  /** Id of its session. */
  readonly session: number;
  /** It is stopped, or another process traces it. */
  readonly isHalted: boolean;
}

/** Name and environment are hostile input: a process writes its name, and may write its environment where the kernel permits it. */
export interface ProcessDetails extends SandboxProcess {
  /** Milliseconds since the boot of this host; the kernel counts in steps of ten. */
  readonly startedAtMs: number;
  /** `CAISSON_EXEC` of the environment that it was started with; `null`: it has none. */
  readonly mark: string | null;
  /** Name of the program (`comm`), at most 15 bytes. */
  readonly name: string;
}

/** A reading of one moment. Bytes and nanoseconds; `null` where the place does not tell. */
export interface Stats {
  /** Processor time since its start, in nanoseconds. */
  readonly cpuNanos: number | null;
  /** Bytes of memory in use, without page cache that can be dropped. */
  readonly memoryBytes: number | null;
  /** Limit on memory in bytes. */
  readonly memoryLimitBytes: number | null;
  /** Processes and threads. */
  readonly pids: number | null;
  /** Limit on processes and threads. */
  readonly pidsLimit: number | null;
  /** Bytes received since its start. */
  readonly networkReceivedBytes: number | null;
  /** Bytes sent since its start. */
  readonly networkSentBytes: number | null;
}

export interface ExecOptions extends Cancelable {
  /** Absolute. The place refuses one that is not there; it is never created. */
  readonly cwd: string;
  /**
   * The command's environment beyond what the image or account sets: exactly these values are added or replaced.
   * Names are identifiers. It holds `CAISSON_EXEC`, by which the tree is found, so it must reach the process as it is.
   */
  readonly env: Readonly<Record<string, string>>;
  /** The environment holds values that no other process of the sandbox should come by. Backends need not heed it. */
  readonly confidential?: boolean;
  /** Whether `Process.stdin` is wanted. Without it the command reads end of file at once. */
  readonly stdin: boolean;
  /**
   * Called at most once, immediately before the first byte that may start the command leaves this process (or before the
   * fork, where the place is this host). A rejection of `exec` without this call means that the command has not run. A
   * rejection after it, other than `not_found`, `failed_precondition` and `invalid_argument`, leaves that open: core then
   * looks for the process tree by `CAISSON_EXEC`, ends it and reports an exit instead of an error.
   */
  readonly onSent?: () => void;
  /** Called with a sentence for the notes of the exit, before `exec` resolves. Backends need not call it. */
  readonly onNote?: (note: string) => void;
}

export interface PtyOptions extends Omit<ExecOptions, 'stdin'> {
  /** Width of the terminal in characters. */
  readonly columns: number;
  /** Height of the terminal in lines. */
  readonly rows: number;
}

export interface Process {
  /** Ending it gives the command end of file. Errors here (the command closed its end) are not failures of the process. */
  readonly stdin: Writable | null;
  /**
   * Bytes as they come, exact, with back-pressure: a reader that stops reading stops the command, not the service.
   * They end when every holder has closed them, which may be long after `wait`; `release` gives them up.
   */
  readonly stdout: Readable;
  /** Standard error, on the terms of `stdout`. */
  readonly stderr: Readable;

  /**
   * Resolves when the process itself has ended, even if others still hold its streams. Throws `unavailable` when its end
   * cannot be known any more (the connection broke for good, the sandbox vanished): then it is lost, and nothing is
   * invented. May be called any number of times.
   */
  wait(): Promise<ProcessEnd>;

  /**
   * Resolves, after `wait` has settled, with what is proved about the output. By then every byte that the proof covers is
   * in `stdout` and `stderr`. Never rejects. It may stay open as long as a stream has unread bytes and is paused, and must
   * resolve within seconds once both are read: a connection that stalls is `cut`. May be called any number of times.
   */
  outputs(): Promise<Outputs>;

  /** Sends a signal, by name (`SIGTERM`), as far as `guarantees().kill` reaches. Does nothing when it has ended. */
  kill(signal: string): Promise<void>;

  /** Stops reading the streams and frees them, also when holders remain. The process itself is not touched. */
  release(): void;
}

/** What is proved about the output of a process that has ended. */
export type Outputs =
  /** Every byte arrived, and both streams end. */
  | { readonly is: 'ended' }
  /** Every byte that was written before the process ended arrived. These processes were seen holding a stream open. */
  | { readonly is: 'held'; readonly pids: readonly number[] }
  /** Bytes may be missing: the connection was cut, reset, half-closed or stalled before the proof. */
  | { readonly is: 'cut'; readonly why: string }
  /** The place offers no proof either way. */
  | { readonly is: 'unknown'; readonly why: string };

export interface DestroyOptions extends Cancelable {
  /**
   * Called when the place has what it needs to remove the sandbox also without this process, whose end may then follow. A
   * backend that cannot promise that never calls it. `destroy` itself resolves when the sandbox is gone.
   */
  readonly onSent?: (() => void) | undefined;
}

export interface PtyProcess extends Process {
  /** Sets the size of the terminal. */
  resize(columns: number, rows: number): Promise<void>;
}

export interface ProcessEnd {
  /** 0 to 255. `null` when a signal ended it and the place tells signals apart. */
  readonly exitCode: number | null;
  /**
   * The signal's name. Places that only report 128+n leave it `null`, since a program may exit with such a code by
   * itself: core adds its guess, marked as such, and never a backend.
   */
  readonly signal: string | null;
  /** True only when the place said so: the kernel killed something in the sandbox for memory while this process ran. */
  readonly outOfMemory: boolean;
  /**
   * Present when the program never ran, with `exitCode` 127 for `not-found` and 126 for `not-executable`
   * (POSIX.1-2024, XCU 2.8.2). Nothing is written to the streams of such a process.
   */
  readonly notStarted?: NotStarted;
}

export type NotStarted = 'not-found' | 'not-executable';

/** What a backend is opened with. Opening does no I/O; the first call does. */
export interface OpenOptions {
  /** The environment of the service: where the place is, and how to reach it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The instance whose resources these are (`Labels.instance`). */
  readonly instance: string;
  /** Values of the backend's own keys of the configuration (see `BackendConfig`), by the key without the backend's name. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What the backend may keep between processes. Absent: it keeps nothing. */
  readonly kept?: Kept;
  /**
   * For backends that promise `Guarantees.refusals`, as they are now. The kernel refuses these connections of a sandbox whose
   * network is `open`, whichever interface a program binds to, from before its first command and after each start.
   */
  readonly refusals?: () => Refusals;
  /** For places that run containers. Absent: none can be had. Throws `not_supported` where this host cannot make it. */
  readonly doorImage?: () => Promise<DoorImage>;
}

/** Destinations that sandboxes may not connect to. The backend adds what it alone knows, such as the gateway. */
export interface Refusals {
  /** IPv4, as `10.0.0.0/8` (RFC 4632). */
  readonly ranges: readonly string[];
  /** Within them, and all the same open, by TCP and UDP. */
  readonly opened: readonly { readonly address: string; readonly port: number }[];
}

/** An image without a registry, whose command carries bytes between port 3128 of loopback and the socket `/door/door`. */
export interface DoorImage {
  /** Follows from what is in it. */
  readonly reference: string;
  /** Labels for the image. */
  readonly labels: Readonly<Record<string, string>>;
  /** Prints a line that begins with `ready` when it listens. */
  readonly command: readonly string[];
  /** Sets the rules that it reads from stdin, as iptables-restore(8) has them, with these variables. `null`: this host has no such program. */
  readonly rules: { readonly command: readonly string[]; readonly env: readonly string[] } | null;
  /** An uncompressed tar, for the architecture of this host. */
  rootfs(): Readable;
}

/**
 * JSON values by name, for this user alone, shared by the processes of one state directory. A value may be gone, or may be that of
 * another version: its reader checks what it reads, and does the work where nothing usable is there. Neither call throws.
 */
export interface Kept {
  /** `null`: absent. */
  read(name: string): unknown;
  /** In one step: a reader finds the old value or the new one. Nothing secret belongs here. */
  write(name: string, value: unknown): void;
}

/** A schema of zod 4, of whichever copy: the contract needs no types of zod. */
export interface KeySchema {
  /** Marks a schema of zod 4. */
  readonly _zod: object;
}

/**
 * What a module of a backend exports. The name of a backend is that under which it is registered: it is also the value of
 * `terminal.backend`, and the beginning of its keys in the configuration.
 */
export interface BackendModule {
  /** Value of `Guarantees.isolation`, repeated here because commands are judged before the place is asked, and also without it. */
  readonly isolation: Guarantees['isolation'];
  /** Absent: the backend has no keys of its own. */
  readonly config?: BackendConfig;
  /** Does no I/O. */
  open(options: OpenOptions): Backend;
}

export type BackendLoader = () => Promise<BackendModule>;

/** A backend as it is known before it is loaded. */
export interface BackendEntry extends Omit<BackendModule, 'open'> {
  /** Loads the module. */
  readonly load: () => Promise<Pick<BackendModule, 'open'>>;
}

/**
 * The keys that a backend adds to the section `terminal` of the configuration. `image` of the backend `mine` is
 * `terminal.mine_image` in the file, and `CAISSON_TERMINAL_MINE_IMAGE` in the environment. A dash in the name is an underscore
 * in the keys.
 *
 * Core reads these keys where a backend has them: `image`, `network` (true: outbound network), `forward_env` (names of host
 * variables), `env` (variables with their values), `mount_cwd_to_workspace`, `seccomp` (`builtin` or `engine`), `runtime`, `shm_size` and `run_as_host_user`. They
 * become a part of the spec. All others are of interest to the backend alone.
 */
export interface BackendConfig {
  /** Default values by key. Plain data: a start without a configuration file loads no schema. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Keys that say where the place is. Sandboxes are found again by them, so that no task may override them. */
  readonly placeKeys?: readonly string[];
  /** Variables of this host that keys stand for where they are not set; a variable that is set is stronger. */
  readonly variables?: (settings: Readonly<Record<string, unknown>>) => Readonly<Record<string, string>>;
  /** Keys that files of Hermes have for this backend and that it does not take, by the key without the backend's name. */
  readonly foreign?: Readonly<Record<string, ForeignKey>>;
  /** The type of each key of `defaults`; loaded when there is something to check. */
  readonly schema: () => Promise<Readonly<Record<string, KeySchema>>>;
}
