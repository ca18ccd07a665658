/** A real `terraform` (or `tofu`) in a directory of its own, with providers that are served by fixtures. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RootModule } from '#rendering/root-module.ts';

/** The program there is, if any. */
export const terraformProgram: string | undefined = ['terraform', 'tofu'].find((name) => {
  try {
    execFileSync(name, ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

/** On CI a missing tool is a failure, not a skip. */
export const skipsTerraform: boolean = terraformProgram === undefined && process.env.CI !== 'true';
if (skipsTerraform)
  process.stderr.write('Neither terraform nor tofu is installed: provider modules were not tested.\n');

export interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

/** What is done with one resource: `create`, `update`, `delete` or `replace`. */
export interface Change {
  readonly address: string;
  readonly action: string;
}

/** What an apply did, or would not do. */
export interface Applied extends Outcome {
  readonly changes: readonly Change[];
}

/** Waits for a command that has to succeed. Throws with what Terraform calls errors. */
export async function done<Result extends Outcome>(command: Promise<Result>): Promise<Result> {
  const result = await command;
  if (!result.ok) throw new Error(complaints(result.output));
  return result;
}

export interface WorkspaceSetting {
  readonly directory: string;
  /** Directory of the provider type's modules. */
  readonly modules: string;
  /** `TF_REATTACH_PROVIDERS` and `TF_VAR_…`. */
  readonly environment: Readonly<Record<string, string>>;
}

const inert: readonly string[] = ['noop', 'read'];

export class TerraformWorkspace {
  readonly #setting: WorkspaceSetting;

  private constructor(setting: WorkspaceSetting) {
    this.#setting = setting;
  }

  static async create(setting: WorkspaceSetting): Promise<TerraformWorkspace> {
    await mkdir(setting.directory, { recursive: true });
    await symlink(setting.modules, join(setting.directory, 'modules'));
    await writeFile(join(setting.directory, 'terraform.rc'), '');
    return new TerraformWorkspace(setting);
  }

  /** Writes the root; its state stays in the directory. */
  async write(root: RootModule): Promise<void> {
    const { backend: _, ...terraform } = root.terraform as Readonly<Record<string, unknown>>;
    const file = join(this.#setting.directory, 'main.tf.json');
    await writeFile(file, JSON.stringify({ ...root, terraform }, null, 2));
  }

  init(): Promise<Outcome> {
    return this.#run('init', '-input=false', '-backend=false');
  }

  validate(): Promise<Outcome> {
    return this.#run('validate');
  }

  /** Plans and applies. */
  async apply(): Promise<Applied> {
    const { ok, output } = await this.#run('apply', '-json', '-auto-approve', '-input=false', '-parallelism=30');
    const messages = messagesOf(output);
    return { ok, output: ok ? '' : errorsOf(messages), changes: changesOf(messages) };
  }

  /** What would change; throws with Terraform's words where it cannot say. */
  async plan(): Promise<readonly Change[]> {
    const { ok, output } = await this.#run('plan', '-json', '-input=false', '-lock=false');
    const messages = messagesOf(output);
    if (!ok) throw new Error(errorsOf(messages));
    return changesOf(messages);
  }

  destroy(): Promise<Outcome> {
    return this.#run('destroy', '-auto-approve', '-input=false', '-refresh=false', '-parallelism=30');
  }

  async outputs(): Promise<Readonly<Record<string, unknown>>> {
    const { ok, output } = await this.#run('output', '-json');
    if (!ok) throw new Error(output);
    const read = JSON.parse(output) as Readonly<Record<string, { readonly value: unknown }>>;
    return Object.fromEntries(Object.entries(read).map(([name, { value }]) => [name, value]));
  }

  #run(command: string, ...args: string[]): Promise<Outcome> {
    const { directory, environment } = this.#setting;
    const env = {
      ...process.env,
      TF_IN_AUTOMATION: '1',
      CHECKPOINT_DISABLE: '1',
      TF_CLI_CONFIG_FILE: join(directory, 'terraform.rc'),
      // It lives for a second: what it leaves lying about goes with it.
      GOGC: '800',
      ...environment,
    };
    const all = [command, ...args, '-no-color'];
    return new Promise((resolve) => {
      execFile(
        terraformProgram ?? 'terraform',
        all,
        { cwd: directory, env, maxBuffer: 64e6 },
        (error, stdout, stderr) => resolve({ ok: error === null, output: error === null ? stdout : stdout + stderr }),
      );
    });
  }
}

/** From the first error on. */
const complaints = (output: string): string => output.slice(Math.max(0, output.indexOf('\nError: '))).trim();

/** A line of `-json`, as far as it matters here. */
interface Message {
  readonly type?: string;
  readonly change?: { readonly action: string; readonly resource: { readonly addr: string } };
  readonly diagnostic?: {
    readonly severity: string;
    readonly summary: string;
    readonly detail: string;
    readonly address?: string;
    readonly range?: { readonly filename: string; readonly start: { readonly line: number } };
  };
}

function messagesOf(output: string): readonly Message[] {
  return output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Message] : []));
}

function changesOf(messages: readonly Message[]): readonly Change[] {
  return messages
    .flatMap(({ type, change }) => (type === 'planned_change' && change !== undefined ? [change] : []))
    .map(({ action, resource }) => ({ address: resource.addr, action }))
    .filter(({ action }) => !inert.includes(action));
}

function errorsOf(messages: readonly Message[]): string {
  const errors = messages.flatMap(({ diagnostic }) => (diagnostic?.severity === 'error' ? [diagnostic] : []));
  return errors
    .map(({ summary, detail, address, range }) => {
      const place = range === undefined ? '' : ` (${range.filename} line ${range.start.line})`;
      return `Error: ${summary}\n  ${address ?? ''}${place}\n  ${detail}`;
    })
    .join('\n');
}
