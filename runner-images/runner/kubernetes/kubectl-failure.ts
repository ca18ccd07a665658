/** Classifies a failed kubectl: one table from its output to our error classes. Pure. */
import type { StageError } from '#contracts/stage.ts';
import type { CodedFailureRow } from '../stage-failure.ts';

/** First match wins. */
const table: readonly CodedFailureRow[] = [
  {
    class: 'transient',
    code: 'WebhookUnreachable',
    pattern: /failed calling webhook/i,
    hint: 'A webhook in the cluster did not answer. Kubeloom retries automatically; if the problem persists, check the pods of the webhook.',
  },
  {
    class: 'user',
    code: 'KindUnknown',
    pattern: /no matches for kind|ensure CRDs are installed first/i,
    hint: 'The cluster does not have this kind of object: correct apiVersion and kind, or put the definition (CustomResourceDefinition) into documents that come first.',
  },
  {
    class: 'user',
    code: 'DocumentsRejected',
    pattern: /field not declared in schema|failed to create typed patch object|field is immutable/i,
    hint: 'Kubernetes does not accept an object: correct it in the documents of the manifest.',
  },
  {
    class: 'credentials',
    code: 'KubernetesRefused',
    pattern: /unauthorized|forbidden|certificate (has expired|signed by unknown authority)|x509/i,
    hint: 'Kubernetes no longer accepts the kubeconfig of the cluster. Apply the manifest again, which renews it.',
  },
  {
    class: 'conflict',
    code: 'NodeChanged',
    pattern: /the object has been modified|conflict|please apply your changes to the latest version/i,
    hint: 'Another program changed the node at the same moment. Kubeloom retries automatically.',
  },
  {
    class: 'transient',
    code: 'KubernetesUnreachable',
    pattern:
      /connection (refused|reset)|no route to host|i\/o timeout|timed? ?out|deadline exceeded|unable to connect|was refused|EOF\b|service unavailable|TLS handshake|no such host/i,
    hint: 'The Kubernetes API did not answer. Check control nodes and load balancer; Kubeloom retries automatically.',
  },
  {
    class: 'user',
    code: 'KubernetesRejected',
    pattern: /is invalid|denied the request|invalid value|must be|not allowed/i,
    hint: 'Check labels, annotations and taints of the node pool, and the documents of the cluster.',
  },
];

/** The error of a failed command. */
export function kubectlError(command: string, output: string, node: string | undefined): Omit<StageError, 'retryable'> {
  const words = output.trim().split('\n').slice(-5).join('\n') || `kubectl ${command} failed without any output.`;
  const row = table.find(({ pattern }) => pattern.test(words));
  return {
    class: row?.class ?? 'transient',
    code: row?.code ?? 'KubectlFailed',
    message: `kubectl ${command}: ${words}`,
    ...(node === undefined ? {} : { resource: node }),
    hint: row?.hint ?? 'See the log of the stage.',
  };
}

/** There is no such object, or no such kind. */
export function isAbsent(stderr: string): boolean {
  return /\(NotFound\)|not found|doesn't have a resource type/i.test(stderr);
}
