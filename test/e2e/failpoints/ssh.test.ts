import { hasSshd, type Sshd, startSshd } from '../../engines/sshd.ts';
import { failpoints } from './suite.ts';

let sshd: Sshd | null = null;

failpoints({
  backend: 'ssh',
  isSampled: true,
  isThere: hasSshd(),
  open: async () => {
    sshd = await startSshd();
    const { host, port, key } = sshd.settings;
    // The ssh client finds the key of the host in the home directory.
    return { settings: { ssh_host: host, ssh_port: port, ssh_key: key }, env: { HOME: sshd.home } };
  },
  close: () => sshd?.stop(),
});
