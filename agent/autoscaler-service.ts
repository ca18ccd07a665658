/** Answers the cluster-autoscaler: gRPC on one side, the HTTPS API on the other; between them, the pools as they were read last. */
import { type handleUnaryCall, Server, ServerCredentials, type ServerUnaryCall, status } from '@grpc/grpc-js';
import type { AgentGroup } from '#contracts/agent.ts';
import { labelKeys } from '#domain/node-labels.ts';
import { sizeThatKeeps } from '#domain/what-stays.ts';
import { type AgentApi, ApiRefusal } from './agent-api.ts';
import { cloudProvider } from './autoscaler-wire.ts';
import {
  instanceId,
  instances,
  isPlaceholder,
  machinesToCome,
  placesTaken,
  targetSize,
  templateNode,
} from './group-answers.ts';
import { nodePrice, type PodOnWire, podPrice } from './growth-prices.ts';
import { KnownGroups } from './known-groups.ts';

interface ShortNode {
  readonly providerID: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A refusal in words of gRPC. */
class Refused extends Error {
  readonly code: status;

  constructor(code: status, message: string) {
    super(message);
    this.name = 'Refused';
    this.code = code;
  }
}

/** Nodes with this label have a GPU. */
export const gpuLabel = 'nvidia.com/gpu.present';

type Answer = (request: never) => object | Promise<object>;

/** By method of the service; each throws `Refused` or `ApiRefusal`. */
export function autoscalerAnswers(api: AgentApi, clock?: () => number): Readonly<Record<string, Answer>> {
  const known = new KnownGroups(api, clock);
  const find = async (id: string): Promise<AgentGroup> => named(await known.all(), id);
  const toChange = async (id: string): Promise<AgentGroup> => named(await known.toChange(), id);
  const resize = async (group: AgentGroup, count: number, remove: readonly string[] = []): Promise<object> => {
    known.note(await api.resize(group.pool, { count, remove: [...remove] }));
    return {};
  };

  return {
    Refresh: async () => {
      await known.refresh();
      return {};
    },
    Cleanup: () => ({}),
    GPULabel: () => ({ label: gpuLabel }),
    GetAvailableGPUTypes: () => ({}),
    NodeGroups: async () => ({ nodeGroups: (await known.all()).map(groupOf) }),
    NodeGroupForNode: async ({ node }: { node: ShortNode }) => {
      const group = (await known.all()).find((one) => holds(one, node));
      return { nodeGroup: group ? groupOf(group) : {} };
    },
    NodeGroupTargetSize: async ({ id }: { id: string }) => ({ targetSize: targetSize(await find(id)) }),
    NodeGroupNodes: async ({ id }: { id: string }) => ({ instances: instances(await find(id)) }),
    NodeGroupTemplateNodeInfo: async ({ id }: { id: string }) => {
      const node = templateNode(await find(id));
      if (!node) throw new Refused(status.UNIMPLEMENTED, `the capacity of a node of ${id} is not known yet`);
      return { nodeInfo: node, nodeBytes: node };
    },
    PricingNodePrice: async ({ node }: { node: ShortNode }) => {
      // A node to come has a name of the autoscaler's own, and the labels of its pool.
      const pool = node.labels[labelKeys.nodePool] ?? '';
      return { price: nodePrice(named(await known.all(), pool)) };
    },
    PricingPodPrice: async ({ pod, podBytes }: { pod: PodOnWire | null; podBytes: PodOnWire | null }) => ({
      price: podPrice(await known.all(), podBytes ?? pod),
    }),
    NodeGroupIncreaseSize: async ({ id, delta }: { id: string; delta: number }) => {
      if (delta <= 0) throw new Refused(status.INVALID_ARGUMENT, `${delta} is not an increase`);
      // It counted from the size that it saw; a person may have asked for more nodes since.
      const wanted = targetSize(await find(id)) + delta;
      const group = await toChange(id);
      return targetSize(group) >= wanted ? {} : resize(group, wanted);
    },
    NodeGroupDecreaseTargetSize: async ({ id, delta }: { id: string; delta: number }) => {
      const group = await toChange(id);
      const count = targetSize(group) + delta;
      const staying = placesTaken(group);
      if (delta >= 0 || sizeThatKeeps(count, staying.map(stays)) !== count)
        throw new Refused(
          status.INVALID_ARGUMENT,
          `${id} has ${staying.length} nodes: ${delta} would delete some of them`,
        );
      return resize(group, count);
    },
    NodeGroupDeleteNodes: async ({ id, nodes }: { id: string; nodes: readonly ShortNode[] }) => {
      const group = await toChange(id);
      const strangers = nodes.filter((node) => !isPlaceholder(idOf(node)) && !holds(group, node));
      if (strangers.length > 0)
        throw new Refused(status.INVALID_ARGUMENT, `not of ${id}: ${strangers.map(({ name }) => name).join(', ')}`);
      const remove = group.nodes.filter(({ name }) => nodes.some((node) => idOf(node) === instanceId(name)));
      const leaving = placesTaken({ nodes: remove });
      const missing = machinesToCome(group, nodes.map(idOf));
      // Only placeholders whose machines exist by now: the autoscaler reads the list again.
      if (remove.length + missing === 0) return {};
      const staying = placesTaken(group).filter((node) => !leaving.includes(node));
      const target = targetSize(group);
      const count = Math.min(target, sizeThatKeeps(target - leaving.length - missing, staying.map(stays)));
      return resize(
        group,
        count,
        remove.map(({ name }) => name),
      );
    },
  };
}

/** Serves them; resolves with the port. `address` is one of this machine or this pod alone: there is no TLS between the two. */
export async function serveAutoscaler(
  answers: Readonly<Record<string, Answer>>,
  address: `127.0.0.1:${number}`,
): Promise<{ readonly port: number; close(): void }> {
  const server = new Server();
  const methods = Object.entries(answers).map(([name, answer]) => [name, unary(answer)] as const);
  server.addService(cloudProvider, Object.fromEntries(methods));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { port, close: () => server.forceShutdown() };
}

function unary(answer: Answer): handleUnaryCall<object, object> {
  return ({ request }: ServerUnaryCall<object, object>, callback) => {
    Promise.resolve()
      .then(() => answer(request as never))
      .then(
        (value) => callback(null, value),
        (error: unknown) => callback({ code: codeOf(error), details: wordsOf(error) }),
      );
  };
}

function codeOf(error: unknown): status {
  if (error instanceof Refused) return error.code;
  if (!(error instanceof ApiRefusal)) return status.UNAVAILABLE;
  if (error.status === 401 || error.status === 403) return status.PERMISSION_DENIED;
  return error.status < 500 ? status.FAILED_PRECONDITION : status.UNAVAILABLE;
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function named(groups: readonly AgentGroup[], id: string): AgentGroup {
  const group = groups.find(({ pool }) => pool === id);
  if (!group) throw new Refused(status.NOT_FOUND, `there is no autoscaled pool ${id} in this cluster`);
  return group;
}

const groupOf = ({ pool, min, max }: AgentGroup): object => ({ id: pool, minSize: min, maxSize: max, debug: pool });

const stays = (): { readonly leaves: boolean } => ({ leaves: false });

/** By the provider id; a node that just registered may not have one yet. */
const idOf = ({ providerID, name }: ShortNode): string => providerID || instanceId(name);

const holds = ({ nodes }: AgentGroup, node: ShortNode): boolean =>
  nodes.some(({ name }) => idOf(node) === instanceId(name));
