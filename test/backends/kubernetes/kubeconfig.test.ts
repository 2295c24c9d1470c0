import { describe, expect, it } from 'vitest';
import { parseKubeconfig } from '../../../backends/kubernetes/kubeconfig.ts';

const file = (user: string, cluster = 'server: https://10.0.0.1:6443/, certificate-authority-data: YWJj'): string => `
apiVersion: v1
kind: Config
current-context: first
clusters: [{name: c, cluster: {${cluster}}}]
users: [{name: u, user: {${user}}}]
contexts:
  - {name: first, context: {cluster: c, user: u, namespace: agents}}
  - {name: second, context: {cluster: c, user: u}}
`;
const read = (user: string, context: string | null = null) =>
  parseKubeconfig(file(user), '/home/a/.kube/config', context);

describe('a kubeconfig', () => {
  it('says where the cluster is, whom to trust and which namespace is meant', () => {
    expect(read('token: t')).toEqual({
      context: 'first',
      server: 'https://10.0.0.1:6443',
      authority: { text: Buffer.from('abc') },
      serverName: null,
      namespace: 'agents',
      login: { by: 'token', token: 't' },
    });
    expect(read('token: t', 'second').namespace).toBe('default');
  });

  it('names files from where it lies', () => {
    expect(read('client-certificate: a.crt, client-key: /k/a.key').login).toEqual({
      by: 'certificate',
      certificate: { file: '/home/a/.kube/a.crt' },
      key: { file: '/k/a.key' },
    });
    expect(read('tokenFile: tokens/t, token: old').login).toEqual({ by: 'token-file', file: '/home/a/.kube/tokens/t' });
  });

  it('runs a plugin by its name, or by a path from where the file lies', () => {
    const plugin =
      'exec: {apiVersion: client.authentication.k8s.io/v1, command: ./bin/login, args: [get, token], env: [{name: A, value: b}]}';
    expect(read(plugin).login).toEqual({
      by: 'plugin',
      plugin: {
        command: ['/home/a/.kube/bin/login', 'get', 'token'],
        env: { A: 'b' },
        apiVersion: 'client.authentication.k8s.io/v1',
        directory: '/home/a/.kube',
      },
    });
    expect(read('exec: {command: gke-gcloud-auth-plugin}').login).toMatchObject({
      plugin: { command: ['gke-gcloud-auth-plugin'] },
    });
  });

  it.each([
    ['server: http://10.0.0.1'],
    ['server: https://10.0.0.1, insecure-skip-tls-verify: true'],
    ['certificate-authority-data: YWJj'],
  ])('is refused where a token could be read by others: %s', (cluster) => {
    const refused = () => parseKubeconfig(file('token: t', cluster), '/k', null);
    expect(refused).toThrow(expect.objectContaining({ code: 'failed_precondition' }));
  });

  it.each([
    ['text that is not YAML', '{', null],
    ['an empty file', '', null],
    ['no such context', file('token: t'), 'third'],
    ['a plugin without a command', file('exec: {args: [a]}'), null],
    ['arguments that are no texts', file('exec: {command: a, args: [{b: c}]}'), null],
    ['a token that is no text', file('token: [a]'), null],
  ])('is refused with a remedy, and without its secrets: %s', (_, text, context) => {
    const refused = () => parseKubeconfig(text, '/k', context);
    expect(refused).toThrow(
      expect.objectContaining({ code: 'failed_precondition', remedy: expect.stringMatching(/../) }),
    );
  });

  it('leaves other logins to be refused by name when they are used', () => {
    expect(read('auth-provider: {name: oidc}').login).toEqual({ by: 'other', what: 'auth-provider' });
    expect(read('username: a, password: b').login).toEqual({ by: 'other', what: 'username and password' });
  });
});
