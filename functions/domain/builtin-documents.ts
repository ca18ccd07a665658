/** Documents in clusters that come with Kubeloom. */

interface BuiltinDocument {
  /** Raised whenever what it renders changes; a test compares it with the files. */
  readonly version: string;
  /** It needs the upstream file of its name (`templates/kubernetes/upstream.json`), which comes with the runner's image. */
  readonly upstream?: true;
  /** Its objects stay in the cluster when it is no longer desired: others depend on them. */
  readonly stays?: true;
  /** It has the agent in it: the runner gives it the agent's program. */
  readonly agent?: true;
  /** The nodes stage gives it a token for the API. */
  readonly token?: true;
  /** Nothing else needs it: no one waits until it works, as what it reports shows that. */
  readonly background?: true;
  /** Those versions of it brought the documents of that name along. */
  readonly brought?: { readonly name: string; readonly by: readonly string[] };
  /** Values that templates got later: what they are in states of older versions, which do not have them. */
  readonly defaults?: Readonly<Record<string, string | string[]>>;
}

/** Clusters without nodes of clouds that announce what they do to machines. */
const withoutNotices = { cloud: [], acting: [], notices: '' };

/** Those that come with Kubeloom, by name: directories of `templates/kubernetes`. */
export const builtinDocuments = {
  'kubeloom-agent': { version: '2', agent: true, token: true, background: true, defaults: withoutNotices },
  longhorn: { version: '1.11.3-2', upstream: true, stays: true, defaults: { taintToleration: '' } },
  'longhorn-classes': { version: '1' },
  autoscaler: {
    version: '5',
    agent: true,
    brought: { name: 'kubeloom-agent', by: ['1', '2', '3'] },
    defaults: {
      proxy: '',
      noProxy: '',
      ca: '',
      expander: 'least-waste',
      inTurn: 'true',
      priorities: [],
      ...withoutNotices,
    },
  },
  monitoring: { version: '1' },
} as const satisfies Readonly<Record<string, BuiltinDocument>>;
export type BuiltinName = keyof typeof builtinDocuments;

export const builtins: ReadonlyMap<string, BuiltinDocument> = new Map(Object.entries(builtinDocuments));

export function isBuiltin(name: string): boolean {
  return builtins.has(name);
}
