/** Writes the least-privilege policy into every page of docs/providers, from permissions.json and what the modules use. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtInResources } from '#cli/provider-kit/contract.ts';
import type { ModuleSource } from '#cli/provider-kit/module-source.ts';
import { permissionsFor, readType, type TypeSource, validOf } from '#cli/provider-kit/type-source.ts';
import { settle } from './generated.ts';
import { policyFormOf } from './provider-policies.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const begin = '<!-- generated:permissions -->';
const end = '<!-- /generated -->';

async function render(page: string): Promise<string> {
  const source = await readType(join(root, 'templates/terraform', basename(page, '.md')));
  const text = readFileSync(join(root, page), 'utf8');
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${page} has no place for the permissions: ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n${policies(source)}\n${text.slice(to)}`;
}

/** Everything in one policy; what names alone need as well, where the type makes machines and serves names. */
function policies(source: TypeSource): string {
  const { network, nodepool, dns } = source.modules;
  const machines = [network, nodepool].filter((module) => module !== undefined);
  const names = dns === undefined ? [] : [dns];
  const form = policyFormOf(source.name);
  if (machines.length === 0 || names.length === 0) {
    return form(neededBy(source, [...machines, ...names]), machines.length > 0 ? 'machines' : 'names');
  }
  const [all, namesOnly] = [neededBy(source, [...machines, ...names]), neededBy(source, names)];
  const whole = form(all, 'machines and names');
  if (all.join() === namesOnly.join()) return whole;
  return `${whole}\n\nFor names (DNS) alone:\n\n${form(namesOnly, 'names')}`;
}

function neededBy(source: TypeSource, modules: readonly ModuleSource[]): readonly string[] {
  const permissions = validOf(source.permissions);
  if (permissions === undefined) throw new Error(`templates/terraform/${source.name}/permissions.json is not valid`);
  const used = (kind: 'resources' | 'data') =>
    modules.flatMap((module) => module[kind].map(({ type }) => type)).filter((type) => !builtInResources.has(type));
  return permissionsFor(permissions, { resources: used('resources'), data: used('data') });
}

for (const file of globSync('templates/terraform/*/permissions.json', { cwd: root })) {
  const page = `docs/providers/${basename(dirname(file))}.md`;
  if (existsSync(join(root, page))) settle(page, await render(page));
}
