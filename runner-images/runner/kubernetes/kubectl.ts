/** kubectl against one cluster: commands that throw failures as `StageFailure`. */
import { z } from 'zod';
import type { LiveNode } from '#rendering/node-patch.ts';
import { type Command, type CommandResult, complaintsOnly } from '../process.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { readToolJson } from '../tool-answer.ts';
import { kubectlError } from './kubectl-failure.ts';

const Condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(''),
  lastTransitionTime: z.string().optional(),
});

const KubernetesNode = z.object({
  metadata: z.object({
    name: z.string(),
    resourceVersion: z.string().default(''),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
    creationTimestamp: z.string().optional(),
  }),
  spec: z
    .object({
      providerID: z.string().default(''),
      taints: z
        .array(
          z.object({
            key: z.string(),
            value: z.string().optional(),
            effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
            timeAdded: z.string().optional(),
          }),
        )
        .default([]),
    })
    .prefault({}),
  status: z
    .object({
      conditions: z.array(Condition).default([]),
      nodeInfo: z.object({ kubeletVersion: z.string().default(''), bootID: z.string().default('') }).prefault({}),
    })
    .prefault({}),
});

const KubernetesNodes = z.object({ items: z.array(KubernetesNode) });

/** A node of the cluster, and whether its kubelet is alive. */
export interface ClusterNode extends LiveNode {
  /** `True`, `False` or `Unknown`, as Kubernetes reports it. */
  readonly ready: string;
  /** ISO 8601: since when it is so. */
  readonly readySince?: string | undefined;
  /** ISO 8601: when it joined. */
  readonly createdAt?: string | undefined;
  /** `v1.36.0`; empty when it is not reported. */
  readonly kubeletVersion?: string;
  /** Id of the machine that its kubelet last ran on. */
  readonly bootId: string;
}

export class Kubectl {
  readonly #context: Pick<StageContext, 'run'>;
  readonly #kubeconfig: string;

  constructor(context: Pick<StageContext, 'run'>, kubeconfig: string) {
    this.#context = context;
    this.#kubeconfig = kubeconfig;
  }

  /** Nodes by name. */
  async nodes(): Promise<ReadonlyMap<string, ClusterNode>> {
    const { stdout } = await this.run(['get', 'nodes', '-o', 'json', '--request-timeout=30s'], {
      onLine: complaintsOnly,
    });
    const { items } = readToolJson(KubernetesNodes, stdout, { tool: 'kubectl', what: 'its list of nodes' });
    return new Map(
      items.map(({ metadata, spec, status }) => [
        metadata.name,
        {
          name: metadata.name,
          resourceVersion: metadata.resourceVersion,
          labels: metadata.labels,
          annotations: metadata.annotations,
          taints: spec.taints,
          providerId: spec.providerID,
          ready: status.conditions.find(({ type }) => type === 'Ready')?.status ?? 'Unknown',
          readySince: status.conditions.find(({ type }) => type === 'Ready')?.lastTransitionTime,
          createdAt: metadata.creationTimestamp,
          kubeletVersion: status.nodeInfo.kubeletVersion,
          bootId: status.nodeInfo.bootID,
        },
      ]),
    );
  }

  /** Runs it; throws `StageFailure` unless it ends with 0. `about`: the node it is about. */
  async run(args: readonly string[], options: Partial<Command> & { about?: string } = {}): Promise<CommandResult> {
    const result = await this.try(args, options);
    if (result.code === 0) return result;
    throw this.failure(args[0] ?? '', result, options.about);
  }

  /** What a command that failed throws. */
  failure(command: string, { stderr, stdout }: CommandResult, about: string | undefined): StageFailure {
    return new StageFailure(kubectlError(command, stderr || stdout, about));
  }

  /** Runs it, whatever its exit code. */
  try(args: readonly string[], options: Partial<Command> = {}): Promise<CommandResult> {
    const { cwd, environment, input, onLine, quietMs, totalMs } = options;
    return this.#context.run({
      label: `kubectl ${args[0]}`,
      program: process.env.KUBELOOM_KUBECTL ?? 'kubectl',
      args: [`--kubeconfig=${this.#kubeconfig}`, ...args],
      ...(cwd === undefined ? {} : { cwd }),
      ...(environment === undefined ? {} : { environment }),
      ...(input === undefined ? {} : { input }),
      ...(onLine === undefined ? {} : { onLine }),
      ...(quietMs === undefined ? {} : { quietMs }),
      totalMs: totalMs ?? 5 * 60_000,
      graceMs: 5000,
    });
  }
}
