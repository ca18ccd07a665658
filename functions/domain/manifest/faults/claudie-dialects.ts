/** Older forms of Claudie's manifests: for each the very line to write now, in place of what the schema says about it. */
import { isMap } from '../../json.ts';
import { shown } from '../schema/names.ts';
import { error, type Fault, parsePath } from './fault.ts';

/** Types that Claudie had or has and that do not come with Kubeloom. */
const otherTypes: readonly string[] = ['genesiscloud', 'vastai'];

/** The same fault; where the document has an older form there, with what to write. */
export function inDialect(document: unknown, fault: Fault): Fault {
  const path = parsePath(fault.path);
  const value = path.reduce<unknown>((at, part) => (isObject(at) ? at[String(part)] : undefined), document);
  const field = path.at(-1);
  if (/^spec\.providers\[\d+\]\.templates$/.test(fault.path)) return { ...fault, fix: insteadOfTemplates(value) };
  if (field === 'providerType' && value === 'hetznerdns') {
    const fix =
      'write `providerType: hetzner`; its Secret has `credentials`, an API token of the project that has the zone, instead of `apitoken`';
    return { ...fault, fix };
  }
  if (field === 'providerType' && otherTypes.some((type) => type === value)) {
    const fix = 'write `providerType: plugin` with modules of your own (docs/write-a-provider.md), or another cloud';
    return { ...fault, fix };
  }
  if (field === 'taints' && isMap(value)) return { ...fault, fix: `write \`taints: [${taintTexts(value)}]\`` };
  return fault;
}

/** The fault of a manifest as it was before Claudie 0.4, without the frame of Kubernetes; undefined for anything else. */
export function unframed(document: Readonly<Record<string, unknown>>): Fault | undefined {
  const { name, providers, nodePools, kubernetes } = document;
  if (document.apiVersion !== undefined || !(isMap(nodePools) || isMap(kubernetes))) return undefined;
  const frame = `\`apiVersion: claudie.io/v1beta1\`, \`kind: InputManifest\`, \`metadata: { name: ${nameText(name).toLowerCase()} }\`, \`spec:\` with all but the name below it`;
  const [type, list] = Object.entries(isMap(providers) ? providers : {})[0] ?? ['hetzner', []];
  const provider = nameText(Array.isArray(list) && isMap(list[0]) ? list[0].name : undefined);
  const line = `\`providers: [{ name: ${provider}, providerType: ${nameText(type)}, secretRef: { name: ${provider}, namespace: default } }]\``;
  return error(
    ['kind'],
    "is missing: this is Claudie's manifest of before 0.4",
    `write ${frame}; and ${line}, with the credentials in a Secret; static nodes have a \`secretRef\` in place of \`privateKey\``,
  );
}

function insteadOfTemplates(value: unknown): string {
  const repository = isMap(value) && typeof value.repository === 'string' ? value.repository : '';
  if (/github\.com\/berops\/claudie-config(\.git)?\/?$/.test(repository))
    return "remove it: these are Claudie's own templates, and Kubeloom has its own modules";
  return 'remove it; for modules of your own in the form of docs/write-a-provider.md write `templatesRef: { name: NAME }` and a TemplateGitReference of that name';
}

/** `key1: value1:NoSchedule`, as older documents show it. */
function taintTexts(taints: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(taints).map(([key, text]) => {
    const [value = '', effect = 'NoSchedule'] = typeof text === 'string' ? text.split(':') : [];
    return `{ key: ${shown(key)}, value: ${shown(value)}, effect: ${nameText(effect)} }`;
  });
  return texts.slice(0, 5).join(', ');
}

/** `NAME` for what is no name: nothing else of a document with credentials is repeated. */
function nameText(value: unknown): string {
  return typeof value === 'string' && /^[A-Za-z0-9-]{1,40}$/.test(value) ? value : 'NAME';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
