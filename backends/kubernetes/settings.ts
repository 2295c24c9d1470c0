/** Values of the keys `terminal.kubernetes_*`, which the schema has checked; those that are missing are the defaults. */
import { config } from './config.ts';

export interface Settings {
  readonly image: string;
  readonly kubeconfig: string | null;
  readonly context: string | null;
  readonly namespace: string | null;
  readonly initImage: string | null;
  readonly storageClass: string | null;
  readonly runtimeClass: string | null;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly unknown[];
  readonly imagePullSecrets: readonly string[];
  readonly serviceAccount: string | null;
  readonly pendingSeconds: number;
  readonly policyCanary: boolean;
}

export function settingsOf(given: Readonly<Record<string, unknown>>): Settings {
  const value = (key: string): unknown => (given[key] === undefined ? config.defaults[key] : given[key]);
  const text = (key: string): string | null => {
    const found = value(key);
    return typeof found === 'string' && found !== '' ? found : null;
  };
  return {
    image: String(value('image')),
    kubeconfig: text('kubeconfig'),
    context: text('context'),
    namespace: text('namespace'),
    initImage: text('init_image'),
    storageClass: text('storage_class'),
    runtimeClass: text('runtime_class'),
    nodeSelector: textsByName(value('node_selector')),
    tolerations: listOf(value('tolerations')),
    imagePullSecrets: listOf(value('image_pull_secrets')).map(String),
    serviceAccount: text('service_account'),
    pendingSeconds: Number(value('pending_seconds')),
    policyCanary: value('policy_canary') === true,
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsByName(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(value ?? {}).map(([name, text]) => [name, String(text)]));
}
