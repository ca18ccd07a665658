/** A real kube-apiserver and etcd, the platform of this machine with the sim runner, and operators between them. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { apiClient } from '#client/api-client.ts';
import { type KubernetesApi, kubernetesApi } from '#operator/kubernetes-api.ts';
import { Operator, type OperatorSettings } from '#operator/operator.ts';
import { SimulatedWorld } from '#test/scenarios/simulated-world.ts';
import { BareApiServer } from './bare-api-server.ts';

export const repository = fileURLToPath(new URL('../..', import.meta.url));
const waitMs = 100_000;

export interface RunningOperator {
  /** Requests to Kubernetes since the last `forget()`, as `GET /path`; watches are left out. */
  readonly requests: readonly string[];
  readonly log: readonly string[];
  forget(): void;
  stop(): Promise<void>;
}

interface Conditions {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
    readonly [field: string]: unknown;
  };
  readonly metadata: { readonly [field: string]: unknown };
}

export class OperatorWorld {
  readonly #operators = new Set<RunningOperator>();
  readonly kubernetes: BareApiServer;
  readonly platform: SimulatedWorld;
  /** Token of the service account, with the rights of the manifest. */
  readonly #token: string;

  private constructor(kubernetes: BareApiServer, platform: SimulatedWorld, token: string) {
    this.kubernetes = kubernetes;
    this.platform = platform;
    this.#token = token;
  }

  static async start(): Promise<OperatorWorld> {
    const kubernetes = await BareApiServer.start();
    try {
      const kubectl = (...args: readonly string[]): Promise<string> => kubectlOf(kubernetes, args);
      await kubectl('create', 'namespace', 'kubeloom');
      await kubectl(
        'apply',
        '-f',
        join(repository, 'operator/chart/crds'),
        '-f',
        join(repository, 'operator/manifests'),
      );
      await kubectl('wait', '--for=condition=Established', 'crd', '--all');
      const token = (
        await kubectl('create', 'token', 'kubeloom-operator', '--namespace=kubeloom', '--duration=2h')
      ).trim();
      return new OperatorWorld(kubernetes, await SimulatedWorld.start(), token);
    } catch (error) {
      await kubernetes.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#operators].map((one) => one.stop()));
    await this.platform.stop();
    await this.kubernetes.stop();
  }

  /** Asynchronous: platform and operators run in this process. */
  kubectl(args: readonly string[], input?: string): Promise<string> {
    return kubectlOf(this.kubernetes, args, input);
  }

  async apply(...documents: readonly unknown[]): Promise<void> {
    await this.kubectl(['apply', '-f', '-'], documents.map((one) => JSON.stringify(one)).join('\n---\n'));
  }

  /** Access with the rights of the operator. */
  access(): KubernetesApi {
    return kubernetesApi({ ...this.kubernetes.address(), token: async () => this.#token, timeoutMs: 5_000 });
  }

  operator(
    settings: Partial<OperatorSettings> & {
      readonly apiUrl?: string;
      /** The token of a user of Kubeloom. @default that of the platform */
      readonly token?: string;
      readonly intervalMs?: number;
      /** Version that its watches begin at, instead of that of the list. */
      readonly watchFrom?: string;
    } = {},
  ): RunningOperator {
    const { apiUrl = this.platform.platform.apiUrl, intervalMs = 250, watchFrom, token: _, ...rest } = settings;
    const { token = this.platform.platform.token } = settings;
    const kubernetes = this.access();
    const requests: string[] = [];
    const log: string[] = [];
    const counted: KubernetesApi = {
      ...kubernetes,
      ask: (method, path, asked) => {
        requests.push(`${method} ${path}`);
        return kubernetes.ask(method, path, asked);
      },
      watch: (path, query, read) =>
        kubernetes.watch(path, { ...query, ...(watchFrom !== undefined && { resourceVersion: watchFrom }) }, read),
    };
    const operator = new Operator(
      {
        kubernetes: counted,
        api: apiClient({ apiUrl, token, timeoutMs: 5_000 }, { limitMs: 0 }),
        now: () => new Date(),
        log: (message, fields) => log.push(`${message} ${JSON.stringify(fields)}`),
      },
      { namespaces: undefined, ownNamespaceOnly: false, retryRefusedMs: 1_000, ...rest },
    );
    const run = operator.run({ intervalMs });
    const running: RunningOperator = {
      requests,
      log,
      forget: () => void requests.splice(0),
      stop: async () => {
        operator.stop();
        await run;
        kubernetes.close();
        this.#operators.delete(running);
      },
    };
    this.#operators.add(running);
    return running;
  }

  /** The object; undefined when it does not exist. */
  async get(
    name: string,
    kind = 'inputmanifests.kubeloom.dev',
    namespace = 'default',
  ): Promise<Conditions | undefined> {
    const text = await this.kubectl(['get', kind, name, '--namespace', namespace, '--ignore-not-found', '-o', 'json']);
    return text === '' ? undefined : (JSON.parse(text) as Conditions);
  }

  async condition(name: string, type: string, kind?: string): Promise<string | undefined> {
    const found = (await this.get(name, kind))?.status?.conditions?.find((one) => one.type === type);
    return found && `${found.status} ${found.reason}`;
  }

  /** `kubectl wait`, as a script of a user would. */
  async wait(name: string, condition: string, kind = 'inputmanifests.kubeloom.dev'): Promise<void> {
    await this.kubectl(['wait', kind, name, `--for=${condition}`, `--timeout=${waitMs / 1000}s`]);
  }

  /** Looks until `holds` is true. */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const end = Date.now() + waitMs;
    while (!(await holds())) {
      if (Date.now() > end) throw new Error(`not within ${waitMs / 1000} s: ${what}`);
      await pause(100);
    }
  }
}

/** examples/sim-minimal.yaml under another name, changed as a test needs it. */
export function simManifest(
  name: string,
  {
    compute = 2,
    annotations = {},
    ...metadata
  }: { compute?: number; annotations?: Record<string, string>; namespace?: string } = {},
) {
  const pool = (pool: string, count: number) => ({
    name: pool,
    count,
    serverType: 'small',
    image: 'linux',
    providerSpec: { name: 'sim-1', region: 'anywhere' },
  });
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name, annotations, ...metadata },
    spec: {
      providers: [{ name: 'sim-1', providerType: 'sim' }] as object[],
      nodePools: { dynamic: [pool('control', 1), pool('compute', compute)] },
      kubernetes: {
        clusters: [
          {
            name: `${name}-one`,
            version: '1.36.0',
            network: '192.168.2.0/24',
            pools: { control: ['control'], compute: ['compute'] },
          },
        ],
      },
    },
  };
}

/** Output of kubectl as an administrator. */
export function kubectlOf(kubernetes: BareApiServer, args: readonly string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const command = [`--kubeconfig=${kubernetes.adminFile()}`, ...args];
    const child = execFile(kubernetes.kubectl, command, { maxBuffer: 50_000_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`kubectl ${args.join(' ')}: ${stderr}`));
      else resolve(stdout);
    });
    child.stdin?.end(input);
  });
}
