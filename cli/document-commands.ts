/** Commands of a kind of stored documents, alike for all kinds: `list`, `describe`, `get` and `delete`. */
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { type CliClient, cliClient, type ManifestName } from './connection/api-client.ts';
import { CliError, exitCodes } from './exit-codes.ts';
import { parseManifestName } from './manifest-name.ts';
import { jsonOption, namespaceOf, onlyNamespace } from './options.ts';
import { print, printJson, printTable } from './print/output.ts';

export interface StoredKind<Row, Described> {
  readonly kind: string;
  /** What its names are in; those in `namespaces` are listed together unless one is named. */
  readonly within: 'namespaces' | 'namespace' | 'installation';
  readonly list: {
    readonly description: string;
    readonly rows: (api: CliClient, namespace: string | undefined) => Promise<readonly Row[]>;
    readonly titles: readonly string[];
    readonly cells: (row: Row) => readonly string[];
    /** What an empty list means. @default nothing */
    readonly none?: string;
  };
  /** What is known of one. @default the document */
  readonly describe?: {
    readonly description: string;
    readonly read: (api: CliClient, key: ManifestName) => Promise<Described | undefined>;
    readonly print: (described: Described) => void;
  };
  /** @default it is not shown */
  readonly document?: (api: CliClient, key: ManifestName) => Promise<unknown>;
  readonly remove: {
    readonly description: string;
    readonly act: (api: CliClient, key: ManifestName, options: object) => Promise<unknown>;
    /** What follows from it. @default nothing */
    readonly outcome?: string;
    readonly options?: (command: Command) => Command;
  };
}

interface Options {
  readonly namespace?: string;
  readonly json?: boolean;
}

/** Adds the commands of the kind to `parent`, the command with its plural. */
export function addDocumentCommands<Row, Described>(parent: Command, kind: StoredKind<Row, Described>): void {
  const { list, describe, document, remove } = kind;
  const scoped = (command: Command, option: () => ReturnType<typeof namespaceOf>): Command =>
    kind.within === 'installation' ? command : command.addOption(option());
  const one = (word: string, description: string, json = jsonOption()): Command =>
    scoped(parent.command(`${word} <name>`).description(description), namespaceOf).addOption(json);
  const keyOf = (name: string, { namespace = 'default' }: Options): ManifestName =>
    kind.within === 'installation' ? { namespace: '*', name } : parseManifestName(name, namespace, `a ${kind.kind}`);
  const titleOf = ({ namespace, name }: ManifestName): string => (namespace === '*' ? name : `${namespace}/${name}`);
  const existing = <Found>(key: ManifestName, found: Found | undefined): Found => {
    if (found !== undefined) return found;
    const where = `kubeloom ${parent.name()} list${kind.within === 'installation' ? '' : ` -n ${key.namespace}`}`;
    const message = `there is no ${kind.kind} "${titleOf(key)}": \`${where}\` lists them`;
    throw new CliError(message, exitCodes.notFound);
  };

  scoped(
    parent.command('list').description(list.description),
    kind.within === 'namespaces' ? onlyNamespace : () => namespaceOf(`the ${kind.kind}s`),
  )
    .addOption(jsonOption())
    .action(async ({ namespace, json }: Options) => {
      const rows = await list.rows(cliClient(), namespace);
      if (json) return printJson(rows);
      if (rows.length > 0) return printTable(list.titles, rows.map(list.cells));
      const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
      print(`no ${kind.kind}s${where}${list.none === undefined ? '' : `: ${list.none}`}`);
    });
  if (describe)
    one('describe', describe.description).action(async (name: string, options: Options) => {
      const key = keyOf(name, options);
      const found = existing(key, await describe.read(cliClient(), key));
      if (options.json) printJson(found);
      else describe.print(found);
    });
  if (document) {
    const get = one('get', 'print the document, as it can be applied again', jsonOption('as JSON instead of YAML'));
    if (!describe) get.alias('describe');
    get.action(async (name: string, options: Options) => {
      const key = keyOf(name, options);
      const found = existing(key, await document(cliClient(), key));
      if (options.json) printJson(found);
      else process.stdout.write(stringify(found));
    });
  }
  const deletion = one('delete', remove.description);
  (remove.options?.(deletion) ?? deletion).action(async (name: string, options: Options) => {
    const key = keyOf(name, options);
    await remove.act(cliClient(), key, options);
    if (options.json) printJson({ deleted: kind.within === 'installation' ? name : key });
    else print(`${kind.kind} ${titleOf(key)} deleted${remove.outcome === undefined ? '' : `: ${remove.outcome}`}`);
  });
}
