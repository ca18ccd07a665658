/** What happens to templates that moved: which are used now, which are proposed, and which are only reported. Pure. */
import type { OnTemplates } from './manifest/schema/on-templates.ts';
import { parseTemplateVersion, templatesUserText } from './template-version.ts';

/** Templates whose reference names another version than the one in use. */
export interface MovedTemplate {
  /** Name of the provider instance, or `documentsKey`. */
  readonly key: string;
  /** Version in use; absent: the templates that come with Kubeloom. */
  readonly from: string | undefined;
  readonly to: string;
}

export interface TemplatesQuestion {
  readonly moved: readonly MovedTemplate[];
  readonly policyOf: (key: string) => OnTemplates;
  /** What is known of them, by key. */
  readonly behind: Readonly<Record<string, KnownBehind>>;
  /** Why nothing is started now, a sentence; undefined: it may be. */
  readonly held: string | undefined;
}

interface KnownBehind {
  readonly to: string;
  readonly because?: string | undefined;
  readonly failed?: true | undefined;
}

/** What happens to each. At most one of `taken` and `proposed` has any. */
export interface TakenTemplates {
  readonly taken: readonly MovedTemplate[];
  readonly proposed: readonly MovedTemplate[];
  /** `because`: absent where `onTemplates` is `report`. */
  readonly reported: readonly (MovedTemplate & Pick<KnownBehind, 'because' | 'failed'>)[];
}

/**
 * A version that failed is not used again until it moves or a person requests it. What is replaced comes first: a plan that waits would not
 * be valid after that.
 */
export function takeTemplates({ moved, policyOf, behind, held }: TemplatesQuestion): TakenTemplates {
  const known = ({ key, to }: MovedTemplate) => (behind[key]?.to === to ? behind[key] : undefined);
  const failed = moved.filter((one) => known(one)?.failed === true);
  const open = moved.filter((one) => !failed.includes(one));
  const of = (policy: OnTemplates) => open.filter(({ key }) => policyOf(key) === policy);
  const reported = [
    ...failed.map((one) => ({ ...one, failed: true as const, because: known(one)?.because })),
    ...of('report'),
  ];
  const waiting = [...of('replace'), ...of('propose')];
  if (held !== undefined)
    return { taken: [], proposed: [], reported: [...reported, ...waiting.map((one) => ({ ...one, because: held }))] };
  const taken = of('replace');
  if (taken.length === 0) return { taken, proposed: of('propose'), reported };
  const later = of('propose').map((one) => ({ ...one, because: 'a plan is proposed once the others are replaced' }));
  return { taken, proposed: [], reported: [...reported, ...later] };
}

/** `provider hetzner-1 at a1b2c3d, now e4f5a6b`; whole versions where more than the commit differs. */
export function movedTemplateText({ key, from, to }: MovedTemplate): string {
  const before = from === undefined ? undefined : parseTemplateVersion(from);
  const now = parseTemplateVersion(to);
  const alike = before && now && before.url === now.url && before.path === now.path;
  const [old, next] = alike ? [before.commit.slice(0, 7), now.commit.slice(0, 7)] : [from ?? 'none', to];
  return `${templatesUserText(key)} at ${old}, now ${next}`;
}

/** Several of them in one line. */
export function movedTemplatesText(moved: readonly MovedTemplate[]): string {
  return moved.map(movedTemplateText).join('; ').slice(0, 800);
}

/** Applies what is stored again, with the commits that its references name then. */
export function useTemplatesCommand({
  namespace,
  name,
}: {
  readonly namespace: string;
  readonly name: string;
}): string {
  return `kubeloom get ${name} -n ${namespace} -o yaml | kubeloom apply -f -`;
}
