/** Requests as the decoder gives them: the definitions say which fields there are, and proto3 fills in what was not sent. */

export interface AppRequest {
  readonly appName: string;
  readonly environmentName: string;
  /** 1: make it when it is missing. */
  readonly objectCreationType: number;
}

export interface ImageRequest {
  readonly image: { readonly dockerfileCommands: readonly string[] } | null;
  readonly appId: string;
  readonly builderVersion: string;
}

export interface ImageById {
  readonly imageId: string;
}

export interface Tag {
  readonly tagName: string;
  readonly tagValue: string;
}

export interface SecretSource {
  readonly secretId?: string;
  readonly env?: { readonly contents: Readonly<Record<string, string>> };
}

export interface NetworkAccess {
  readonly networkAccessType: number;
  readonly allowedCidrs: readonly string[];
  readonly allowedDomains: readonly string[];
}

export interface NetworkChange {
  readonly taskId: string;
  readonly networkAccess: NetworkAccess | null;
}

export interface SandboxCreation {
  readonly appId: string;
  readonly tags: readonly Tag[];
  readonly secretSources: readonly SecretSource[];
  readonly definition: {
    readonly imageId: string;
    readonly entrypointArgs: readonly string[];
    readonly timeoutSecs: number;
    readonly idleTimeoutSecs?: number;
    readonly workdir?: string;
    readonly name?: string;
    readonly resources: { readonly memoryMbMax: number; readonly milliCpuMax: number } | null;
    readonly networkAccess: NetworkAccess | null;
    readonly experimentalOptionsV2: Readonly<Record<string, string>>;
  } | null;
}

export interface SandboxById {
  readonly sandboxId: string;
}

export interface SandboxWait extends SandboxById {
  readonly timeout: number;
}

export interface SandboxListRequest {
  readonly appId: string;
  readonly beforeTimestamp: number;
  readonly includeFinished: boolean;
  readonly tags: readonly Tag[];
}

export interface SandboxName {
  readonly sandboxName: string;
  readonly appName: string;
  readonly includeTerminated: boolean;
}

export interface SandboxTagsRequest extends SandboxById {
  readonly tags: readonly Tag[];
}

export interface ExecById {
  readonly taskId: string;
  readonly execId: string;
}

export interface ExecStart extends ExecById {
  readonly commandArgs: readonly string[];
  /** 0: discard, 1: keep. */
  readonly stdoutConfig: number;
  readonly stderrConfig: number;
  readonly timeoutSecs?: number;
  readonly workdir?: string;
  readonly ptyInfo?: { readonly enabled: boolean; readonly winszRows: number; readonly winszCols: number } | null;
  readonly secretSources: readonly SecretSource[];
}

export interface StdioRead extends ExecById {
  readonly offset: number;
  /** 0: stdout, 1: stderr. */
  readonly fileDescriptor: number;
}

export interface StdinWrite extends ExecById {
  readonly offset: number;
  readonly data: Buffer;
  readonly eof: boolean;
}

export interface StdinPart {
  readonly start?: ExecById & { readonly offset: number };
  readonly data?: Buffer;
  readonly end?: object;
}

export interface FilesystemSnapshot {
  readonly taskId: string;
  readonly snapshotId: string;
  readonly ttlSeconds?: number;
}
