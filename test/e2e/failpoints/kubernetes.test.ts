import { type Cluster, kubernetesImage, startKubernetes, whyNoKubernetes } from '../../engines/kubernetes.ts';
import { failpoints } from './suite.ts';

let cluster: Cluster | null = null;

failpoints({
  backend: 'kubernetes',
  isSampled: true,
  hasMoments: true,
  isThere: whyNoKubernetes() === null,
  open: async () => {
    cluster = await startKubernetes();
    const settings = {
      kubernetes_image: kubernetesImage,
      kubernetes_kubeconfig: cluster.kubeconfig,
      kubernetes_policy_canary: false,
      container_memory: 256,
    };
    return { settings, env: {} };
  },
  close: () => cluster?.stop(),
  left: async () => (await cluster?.sandboxes()) ?? [],
});
