/** Types of the keys `terminal.kubernetes_*`, with what each means. */
import { z } from 'zod';
import { checkedText, flagKey, key } from '../../src/lib/config-key.ts';
import { imageProblem } from '../../src/values/image.ts';

/** RFC 1123, as names of objects are. */
const name = z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/);
const label = z.string().regex(/^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/);
const labelName = z.string().regex(/^([a-z0-9.-]{1,253}\/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/);
const digest = z.string().regex(/^[^\s@]{1,300}@sha256:[0-9a-f]{64}$/);
const path = z.string().min(1).max(4096);

const toleration = z.strictObject({
  key: labelName.optional(),
  operator: z.enum(['Exists', 'Equal']).optional(),
  value: label.optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
  tolerationSeconds: z.number().int().min(0).optional(),
});

const nameOr = (what: string) => `${what}, or null`;

export const schema = {
  image: key(checkedText(imageProblem), 'an image reference such as debian:12', 'Image of Kubernetes sandboxes.'),
  network: flagKey('Whether sandboxes have outbound network.'),
  kubeconfig: key(
    path.nullable(),
    nameOr('the path of a kubeconfig'),
    'File that says where the cluster is. null: KUBECONFIG, the account of the pod that Caisson runs in, or ~/.kube/config.',
  ),
  context: key(
    z.string().min(1).max(253).nullable(),
    nameOr('the name of a context'),
    'Context of that file. null: its current one.',
  ),
  namespace: key(
    name.nullable(),
    nameOr('the name of a namespace'),
    'Namespace of the sandboxes. null: that of the context.',
  ),
  init_image: key(
    digest.nullable(),
    nameOr('an image with its digest, such as busybox@sha256:...'),
    'Image with the program ip, which takes the network of a sandbox without network down before its first command. null: such sandboxes are refused.',
  ),
  storage_class: key(
    name.nullable(),
    nameOr('the name of a storage class'),
    'Class of the volumes that keep files. null: the default of the cluster.',
  ),
  runtime_class: key(
    name.nullable(),
    nameOr('the name of a runtime class'),
    'Runtime class of the pods, such as gvisor. null: the default of the nodes.',
  ),
  node_selector: key(z.record(labelName, label), 'labels by name', 'Labels that a node must have to run sandboxes.'),
  tolerations: key(
    z.array(toleration).max(50),
    'a list of tolerations as in a pod',
    'Taints of nodes that sandboxes bear.',
  ),
  image_pull_secrets: key(
    z.array(name).max(20),
    'a list of names of secrets',
    'Secrets in the namespace with which the nodes pull images.',
  ),
  service_account: key(
    name.nullable(),
    nameOr('the name of a service account'),
    'Account of the pods; its token is not given to them. null: default.',
  ),
  pending_seconds: key(
    z.number().int().min(5).max(86_400),
    'a number of seconds from 5 on',
    'How long a new pod may wait for a node, its volume and its image.',
  ),
  policy_canary: flagKey('Whether small pods try now and then if the cluster applies network policies.'),
} as const;
