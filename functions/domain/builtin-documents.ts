/** Documents in clusters that come with Kubeloom. */

interface BuiltinDocument {
  /** Raised whenever what it renders changes; a test compares it with the files. */
  readonly version: string;
  /** It needs the upstream file of its name (`templates/kubernetes/upstream.json`), which comes with the runner's image. */
  readonly upstream?: true;
  /** Its objects stay in the cluster when it is no longer desired: others depend on them. */
  readonly stays?: true;
  /** It has the agent in it: the runner gives it the agent's program, and the nodes stage a token for the API. */
  readonly agent?: true;
  /** Values that templates got later: what they are in states of older versions, which do not have them. */
  readonly defaults?: Readonly<Record<string, string | string[]>>;
}

/** Those that come with Kubeloom, by name: directories of `templates/kubernetes`. */
export const builtinDocuments = {
  longhorn: { version: '1.11.3-2', upstream: true, stays: true, defaults: { taintToleration: '' } },
  'longhorn-classes': { version: '1' },
  autoscaler: { version: '3', agent: true, defaults: { proxy: '', noProxy: '' } },
  monitoring: { version: '1' },
} as const satisfies Readonly<Record<string, BuiltinDocument>>;
export type BuiltinName = keyof typeof builtinDocuments;

export const builtins: ReadonlyMap<string, BuiltinDocument> = new Map(Object.entries(builtinDocuments));

export function isBuiltin(name: string): boolean {
  return builtins.has(name);
}
