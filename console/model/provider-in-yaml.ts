/** Which provider types a pool in YAML that someone is writing can be of: that of its provider, or all of the document. */
import { isWord, keyOfPair, type TreeNode, treeAt } from './yaml-place.ts';

/** Empty where the document names none. */
export function providerTypesAt(text: string, position: number): readonly string[] {
  const { node, read } = treeAt(text, position);
  const providers = providersOf(documentOf(node), read);
  const name = providerNameAround(node, read);
  const own = name === undefined ? undefined : providers.get(name);
  return own === undefined ? [...new Set(providers.values())] : [own];
}

type Read = (node: TreeNode) => string;

function documentOf(node: TreeNode): TreeNode {
  let document = node;
  while (document.parent && document.name !== 'Document') document = document.parent;
  return document;
}

/** Types by the names of providers. */
function providersOf(document: TreeNode, read: Read): ReadonlyMap<string, string> {
  const list = underKey(underKey(mappingIn(document), 'spec', read), 'providers', read);
  const items = list?.getChildren('Item') ?? [];
  return new Map(
    items.flatMap((item) => {
      const [name, type] = ['name', 'providerType'].map((key) => wordOf(underKey(mappingIn(item), key, read), read));
      return name === undefined || type === undefined ? [] : [[name, type] as const];
    }),
  );
}

/** The name that the innermost pool around it has. */
function providerNameAround(node: TreeNode, read: Read): string | undefined {
  for (let around: TreeNode | null = node; around; around = around.parent) {
    const name = wordOf(underKey(underKey(around, 'providerSpec', read), 'name', read), read);
    if (name !== undefined) return name;
  }
  return undefined;
}

function mappingIn(node: TreeNode | undefined): TreeNode | undefined {
  return node?.getChild('BlockMapping') ?? node?.getChild('FlowMapping') ?? undefined;
}

function underKey(mapping: TreeNode | undefined, key: string, read: Read): TreeNode | undefined {
  const pair = mapping?.getChildren('Pair').find((one) => keyOfPair(one, read) === key);
  return pair?.lastChild ?? undefined;
}

function wordOf(value: TreeNode | undefined, read: Read): string | undefined {
  return value !== undefined && isWord(value) ? read(value).replace(/^(["'])(.*)\1$/s, '$2') : undefined;
}
