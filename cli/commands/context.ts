/** `kubeloom context add|use|list|remove`: the known installations, and which one commands use. */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { checkedUrl, currentContextLine } from '../connection/connection.ts';
import {
  type Context,
  contextNamed,
  contextToken,
  localContext,
  readContexts,
  tokenSource,
  writeContexts,
} from '../connection/contexts.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { jsonOption } from '../options.ts';
import { note, print, printJson, printTable } from '../print/output.ts';

interface AddOptions extends Omit<Context, 'tokenFile'> {
  readonly tokenFile?: string;
  readonly use?: boolean;
}

export function registerContext(program: Command): void {
  const context = program
    .command('context')
    .description('the installations that you work with, and which one commands use');
  const sources = ['tokenFile', 'tokenCommand', 'tokenEnv'];
  const source = (flags: string, description: string): Option => {
    const option = new Option(flags, description);
    return option.conflicts(sources.filter((name) => name !== option.attributeName()));
  };
  context
    .command('add <name>')
    .description('add or replace a context: the URL of an API, and where its token comes from')
    .requiredOption('--url <url>', 'URL of the API')
    .addOption(source('--token-file <file>', 'the token is in this file, which only you may read (mode 0600)'))
    .addOption(source('--token-command <command>', 'this command of the shell prints the token'))
    .addOption(source('--token-env <variable>', 'the token is in this environment variable'))
    .option('--region <region>', 'region of an API in AWS that has a custom domain name')
    .option('--namespace <namespace>', 'the namespace of commands that name none')
    .option('--use', 'use it from now on')
    .action(add);
  context
    .command('use <name>')
    .description(`use this context from now on; \`${localContext}\`: the platform on this machine`)
    .action((name: string) => {
      use(name);
      print(currentLine());
    });
  context
    .command('list')
    .description('the contexts, with URLs and sources of tokens')
    .addOption(jsonOption())
    .action(list);
  context.command('remove <name>').description('remove a context; the installation does not change').action(remove);
}

function add(name: string, { use: useIt, url, ...rest }: AddOptions): void {
  if (!/^[\w.-]{1,63}$/.test(name) || name === localContext) {
    const why = name === localContext ? 'is the platform on this machine' : 'is no name';
    throw new CliError(`"${name}" ${why}: write letters, digits, ".", "_" and "-"`, exitCodes.usage);
  }
  if (rest.namespace !== undefined && !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(rest.namespace))
    throw new CliError(
      `--namespace ${rest.namespace}: write lower-case letters, digits and "-", at most 63`,
      exitCodes.usage,
    );
  const context: Context = {
    url: checkedUrl(url, '--url'),
    ...rest,
    ...(rest.tokenFile !== undefined && { tokenFile: resolve(rest.tokenFile) }),
  };
  // A missing file, or one that others may read, is better reported now than at the first use.
  if (context.tokenFile !== undefined) contextToken(name, context);
  const known = readContexts();
  writeContexts({ ...known, contexts: { ...known.contexts, [name]: context } });
  print(`context ${name}: ${context.url}, token: ${tokenSource(context)}`);
  if (useIt) use(name);
  else if (known.current !== name) note(`it is not in use yet: \`kubeloom context use ${name}\`, or --context ${name}`);
}

function use(name: string): void {
  const { current: _, ...known } = readContexts();
  if (name !== localContext) contextNamed(known, name);
  writeContexts(name === localContext ? known : { ...known, current: name });
}

/** A platform that does not run is a state to report, not a failure. */
function currentLine(): string {
  try {
    return currentContextLine();
  } catch (error) {
    return error instanceof CliError ? error.message : String(error);
  }
}

function list({ json }: { readonly json?: boolean }): void {
  const { current = localContext, contexts } = readContexts();
  const rows = [
    { name: localContext, current: current === localContext, url: '', token: '', namespace: undefined },
    ...Object.entries(contexts).map(([name, context]) => ({
      name,
      current: name === current,
      url: context.url,
      ...(context.namespace !== undefined && { namespace: context.namespace }),
      token: tokenSource(context),
    })),
  ];
  if (json) {
    printJson(rows.map((row) => (row.name === localContext ? { ...row, url: null, token: null } : row)));
    return;
  }
  printTable(
    ['', 'NAME', 'URL', 'NAMESPACE', 'TOKEN'],
    rows.map((row) => [
      row.current ? '*' : '',
      row.name,
      row.url || 'the platform on this machine',
      row.namespace ?? '-',
      row.token || '-',
    ]),
  );
  if (process.env.KUBELOOM_API_URL) note(`KUBELOOM_API_URL is set and overrides it: ${process.env.KUBELOOM_API_URL}`);
}

function remove(name: string): void {
  const known = readContexts();
  contextNamed(known, name);
  const { [name]: _, ...contexts } = known.contexts;
  writeContexts({ ...(known.current !== undefined && known.current !== name && { current: known.current }), contexts });
  print(`context ${name} removed`);
  if (known.current === name) note('it was the current context: commands now use the platform on this machine');
}
