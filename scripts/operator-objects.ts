/** The objects that run the operator in a cluster: as they are in the plain manifest, and as templates of the chart. */

/** What an installation chooses; in the chart, expressions of Helm. */
export interface OperatorValues {
  readonly namespace: string;
  readonly image: string;
  readonly apiUrl: string;
  /** Name of the Secret whose field `token` opens the API. */
  readonly tokenSecret: string;
  readonly namespaces: string;
  readonly secretsFrom: string;
  readonly intervalSeconds: string;
}

/** With these the manifest says what has to be replaced. */
export const defaultValues: OperatorValues = {
  namespace: 'kubeloom',
  image: 'kubeloom/operator:latest',
  apiUrl: 'https://kubeloom.example.com',
  tokenSecret: 'kubeloom-token',
  namespaces: '',
  secretsFrom: 'any',
  intervalSeconds: '10',
};

const name = 'kubeloom-operator';
const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'kubeloom' };
const groups = ['claudie.io', 'kubeloom.dev'];
const tokens = '/var/run/secrets/kubeloom';

/** A small heap that is cleaned often, by one thread: 500 objects need less than 100 MB. NODE_OPTIONS does not take all of these. */
export const nodeOptions =
  '--max-old-space-size=64 --max-semi-space-size=1 --optimize-for-size --single-threaded-gc --v8-pool-size=1';

/** What is freed outside of that heap goes back at once: one pool of the C library, and one thread for files and names. */
export const memoryVariables = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '65536',
  UV_THREADPOOL_SIZE: '1',
} as const;

/** In the order in which they are applied. */
export function operatorObjects(values: OperatorValues): readonly object[] {
  const { namespace } = values;
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, labels } },
    clusterRole(),
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name, labels },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
    deployment(values),
  ];
}

/** Reads objects and writes their status; a finalizer is a field of the object. Secrets: `list` without values is not a right of its own. */
function clusterRole(): object {
  const of = (apiGroups: readonly string[], resources: readonly string[], verbs: readonly string[]) => {
    return { apiGroups, resources, verbs };
  };
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels },
    rules: [
      of(groups, ['inputmanifests', 'templategitreferences'], ['get', 'list', 'watch']),
      of(groups, ['inputmanifests'], ['patch']),
      of(groups, ['inputmanifests/status', 'templategitreferences/status'], ['update']),
      of([''], ['secrets'], ['get', 'list', 'create', 'patch', 'delete']),
      of([''], ['events'], ['create']),
    ],
  };
}

function deployment({ namespace, image, ...values }: OperatorValues): object {
  const env = {
    KUBELOOM_API_URL: values.apiUrl,
    KUBELOOM_TOKEN_FILE: `${tokens}/token`,
    KUBELOOM_NAMESPACES: values.namespaces,
    KUBELOOM_SECRETS_FROM: values.secretsFrom,
    KUBELOOM_INTERVAL_SECONDS: values.intervalSeconds,
    ...memoryVariables,
  };
  const container = {
    name: 'operator',
    image,
    command: ['node', ...nodeOptions.split(' '), '/opt/kubeloom/operator.mjs'],
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    resources: { requests: { cpu: '20m', memory: '100Mi' }, limits: { memory: '200Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [{ name: 'token', mountPath: tokens, readOnly: true }],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      // Two do no harm: every write names the version that it is about.
      replicas: 1,
      selector: { matchLabels: { 'app.kubernetes.io/name': name } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 1000,
            runAsGroup: 1000,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [container],
          volumes: [{ name: 'token', secret: { secretName: values.tokenSecret } }],
        },
      },
    },
  };
}
