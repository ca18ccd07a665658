/** Classifies a failed kubectl: by the reason of the API server's answer, by words only where it gave none. Pure. */
import { type CodedRow, decisive, matchable, oneLine } from '../causes/cause-row.ts';
import { unknownOfTool } from '../causes/unknown-answers.ts';
import type { ErrorDraft } from '../stage-failure.ts';

/** `reasons`: those of an answer (`Error from server (Forbidden)`) for which the row counts; without any it counts for all texts. */
interface ReasonRow extends CodedRow {
  readonly reasons?: readonly string[];
}

const any = /(?:)/;

/** First match wins. */
const table: readonly ReasonRow[] = [
  {
    class: 'transient',
    code: 'WebhookUnreachable',
    pattern: /failed calling webhook|failed to call webhook|conversion webhook .{0,200}failed/i,
    hint: 'A webhook in the cluster did not answer. If the problem persists, check the pods of the webhook.',
  },
  {
    class: 'user',
    code: 'EtcdFull',
    pattern: /database space exceeded|etcdserver: no ?space/i,
    hint: 'The database of etcd is full: compact and defragment it on the control nodes (`etcdctl compact`, `etcdctl defrag`), disarm the alarm (`etcdctl alarm disarm`), then retry.',
  },
  {
    class: 'user',
    code: 'DocumentsRejected',
    pattern:
      /request is too large|entity ?too ?large|too long: (?:must have|may not be)|larger than max|metadata\.annotations: too long|resourceexhausted.{0,200}message/i,
    hint: 'An object is larger than Kubernetes stores (1.5 MB, 256 KB of annotations): split it in the documents of the manifest.',
  },
  {
    class: 'transient',
    code: 'KubernetesUnreachable',
    pattern:
      /etcdserver: |leader changed|storage is \(re\)initializing|not yet ready to handle request|apiserver (?:is )?shutting down/i,
    hint: 'The API server or etcd was not ready. If it stays, check etcd on the control nodes.',
  },
  {
    class: 'transient',
    code: 'NamespaceTerminating',
    pattern: /because it is being terminated|object is being deleted/i,
    hint: 'A namespace or object of this name is still being deleted. If it stays, something holds it: see its `finalizers`.',
  },
  {
    class: 'user',
    code: 'KindUnknown',
    pattern:
      /no matches for kind|ensure CRDs are installed first|could not find the requested resource|doesn't have a resource type(?!.{0,300}(?:timeout|refused|canceled|no route))/i,
    hint: 'The cluster does not have this kind of object: correct apiVersion and kind, or put the definition (CustomResourceDefinition) into documents that come first.',
  },
  {
    class: 'user',
    code: 'NamespaceMissing',
    reasons: ['NotFound'],
    pattern: /namespaces? "[^"]{1,253}" not found/i,
    hint: 'The documents use a namespace that does not exist: add it to the documents that come first.',
  },
  {
    class: 'conflict',
    code: 'NodeChanged',
    pattern:
      /the object has been modified|please apply your changes to the latest version|precondition failed|uid in precondition/i,
    hint: 'Another program changed the node or object at the same moment.',
  },
  {
    class: 'conflict',
    code: 'FieldsOwned',
    pattern: /apply failed with \d{1,4} conflict/i,
    hint: 'Another program manages fields of an object that the documents set: remove them from one of both.',
  },
  {
    class: 'user',
    code: 'DocumentsRejected',
    pattern:
      /field not declared in schema|failed to create typed (?:patch )?object|field is immutable|updates to .{1,200} are forbidden|unknown field|error validating|error parsing|error converting yaml|json: cannot unmarshal|no objects passed|strict decoding|apiVersion not set|kind not set|unable to decode/i,
    hint: 'Kubernetes does not accept an object: correct it in the documents of the manifest.',
  },
  {
    class: 'user',
    code: 'QuotaOfNamespace',
    reasons: ['Forbidden'],
    pattern: /exceeded quota|failed quota|must specify .{0,200}for:/i,
    hint: 'A ResourceQuota of the namespace does not allow it: raise the quota, or ask for less in the documents of the manifest. The quota of the cloud has nothing to do with it.',
  },
  {
    class: 'transient',
    code: 'ServiceAccountMissing',
    reasons: ['Forbidden'],
    pattern: /error looking up service account|serviceaccount "[^"]{1,253}" not found/i,
    hint: 'The service account is not there yet. If it stays, add it to the documents of the manifest.',
  },
  {
    class: 'credentials',
    code: 'PermissionMissing',
    reasons: ['Forbidden', ''],
    pattern:
      /user "[^"]{0,500}" cannot |attempting to grant rbac permissions|is not allowed to modify|cannot impersonate/i,
    hint: 'The identity in the kubeconfig lacks this permission in the cluster (RBAC): someone changed its role or binding. Restore it, then `kubeloom retry`.',
  },
  {
    class: 'user',
    code: 'AdmissionRefused',
    pattern:
      /violates podsecurity|denied the request|denied request|security context constraint|is forbidden: |validatingadmissionpolicy/i,
    hint: 'A rule of the cluster does not allow this object (PodSecurity, a policy, a webhook, a limit): the message names the rule. Change the object in the documents of the manifest, or the rule.',
  },
  {
    class: 'user',
    code: 'CertificateExpired',
    pattern:
      /certificate has expired or is not yet valid: current time .{0,60} is after|certificate has expired(?! or)/i,
    hint: 'The certificates of the cluster have expired: `kubeadm certs renew all` on the control nodes, restart their static pods, then retry.',
  },
  {
    class: 'user',
    code: 'ClockWrong',
    pattern: /not yet valid/i,
    hint: 'The clock of a control node, or of the runner, is wrong: compare `date -u` and turn on time synchronisation, then retry.',
  },
  {
    class: 'credentials',
    code: 'KubernetesRefused',
    reasons: ['Unauthorized'],
    pattern: any,
    hint: 'Kubernetes no longer accepts the kubeconfig of the cluster. Apply the manifest again, which renews it.',
  },
  {
    class: 'credentials',
    code: 'KubernetesRefused',
    pattern:
      /must be logged in to the server|signed by unknown authority|x509: |tls: (?:bad|unknown|expired) certificate|^(?:error: )?unauthorized/i,
    hint: 'Kubernetes and the kubeconfig of the cluster no longer fit. Apply the manifest again, which renews it.',
  },
  {
    class: 'transient',
    code: 'KubernetesUnreachable',
    reasons: ['ServiceUnavailable', 'InternalError', 'Timeout', 'ServerTimeout', 'TooManyRequests'],
    pattern: any,
    hint: 'The Kubernetes API was busy or failed.',
  },
  {
    class: 'transient',
    code: 'KubernetesUnreachable',
    pattern:
      /connection (?:refused|reset)|no route to host|i\/o timeout|timed? ?out|deadline exceeded|unable to connect|was refused|EOF\b|service ?unavailable|TLS handshake|no such host|network is unreachable|timeout|canceled|client connection lost|http2: |too many requests|currently unable to handle|the server is (?:currently|not ready)|internal error occurred|has prevented the request/i,
    hint: 'The Kubernetes API did not answer. Check control nodes and load balancer.',
  },
  {
    class: 'conflict',
    code: 'NodeChanged',
    reasons: ['Conflict', 'AlreadyExists'],
    pattern: any,
    hint: 'Another program changed or made the object at the same moment.',
  },
  {
    class: 'conflict',
    code: 'ObjectGone',
    reasons: ['NotFound', 'Gone', 'Expired'],
    pattern: any,
    hint: 'Another program deleted the object at the same moment, or it is not there yet.',
  },
  {
    class: 'user',
    code: 'KubernetesRejected',
    reasons: [
      'Invalid',
      'BadRequest',
      'Forbidden',
      'MethodNotAllowed',
      'NotAcceptable',
      'UnsupportedMediaType',
      'RequestEntityTooLarge',
    ],
    pattern: any,
    hint: 'Kubernetes does not accept it: check labels, annotations and taints of the node pool, and the documents of the cluster.',
  },
  {
    class: 'user',
    code: 'KubernetesRejected',
    pattern: / is invalid: |invalid value|must be|not allowed|field can only|spec: forbidden/i,
    hint: 'Check labels, annotations and taints of the node pool, and the documents of the cluster.',
  },
];

const mostLines = 5;
/** Lines that say what failed; kubectl's own log and warnings are around them. */
const saysError = /^(?:Error from server|error: |Error: |The |Unable to |Internal error|Operation cannot|Apply failed)/;
const noise = /^[IWE]\d{4} \d\d:\d\d:\d\d|^Warning: /;

/** The error of a failed command. */
export function kubectlError(command: string, output: string, node: string | undefined): ErrorDraft {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const clean = lines.filter((line) => !noise.test(line));
  const errors = clean.filter((line) => saysError.test(line)).slice(-mostLines);
  const words = [errors, clean, lines].find((some) => some.length > 0)?.slice(-mostLines) ?? [];
  // What is not marked may belong to a marked line, as the list of conflicts does.
  const row = decided(errors) ?? decided([clean.slice(-4 * mostLines).join(' ')]);
  const { class: kind, hint } = row ?? unknownOfTool;
  const code = row?.code === 'KubernetesRejected' && command === 'apply' ? 'DocumentsRejected' : row?.code;
  return {
    class: kind,
    code: code ?? 'KubectlFailed',
    message: `kubectl ${command}: ${oneLine(words.join('; ')) || 'it failed without any output.'}`,
    ...(node === undefined ? {} : { resource: node }),
    hint,
  };
}

/** Several objects may be refused: the one about which a person has to do something decides. */
function decided(texts: readonly string[]): ReasonRow | undefined {
  const rows = texts.flatMap((text) => rowOf(text) ?? []);
  return decisive(rows.map((row) => ({ row, meaning: row, known: true })))?.row;
}

function rowOf(text: string): ReasonRow | undefined {
  const line = matchable(text);
  const reason = reasonOf(line);
  return table.find(
    ({ reasons, pattern }) => (reasons === undefined || reasons.includes(reason)) && pattern.test(line),
  );
}

/** The reason of the API server's answer; empty where it gave none. */
function reasonOf(line: string): string {
  const given =
    /Error from server \((\w{1,60})\)/.exec(line)?.[1] ?? /\((Unauthorized|Forbidden|NotFound)\)$/.exec(line)?.[1];
  if (given !== undefined) return given;
  return /^The \S{1,100}(?: \S{1,100})? "[^"]{0,300}" is invalid/.test(line) ? 'Invalid' : '';
}

/** There is no such object, or no such kind. */
export function isAbsent(stderr: string): boolean {
  return /\(NotFound\)|not found|doesn't have a resource type/i.test(stderr);
}
