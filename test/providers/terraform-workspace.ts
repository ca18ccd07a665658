/** A real `terraform` (or `tofu`) in a directory of its own, with providers that are served by fixtures. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
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

/** What a plan does with one resource: `create`, `update`, `delete`, in their order. */
export interface PlannedChange {
  readonly address: string;
  readonly actions: readonly string[];
}

/** Waits for a command that has to succeed. Throws with what Terraform calls errors. */
export async function done(command: Promise<Outcome>): Promise<void> {
  const { ok, output } = await command;
  if (!ok) throw new Error(complaints(output));
}

export interface WorkspaceSetting {
  readonly directory: string;
  /** Directory of the provider type's modules. */
  readonly modules: string;
  /** `TF_REATTACH_PROVIDERS` and `TF_VAR_…`. */
  readonly environment: Readonly<Record<string, string>>;
}

const planFile = 'plan.tfplan';
const inert = new Set(['no-op', 'read']);

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

  apply(): Promise<Outcome> {
    return this.#run('apply', '-auto-approve', '-input=false', '-parallelism=30');
  }

  /** What would change; throws with Terraform's words where it cannot say. */
  async plan(): Promise<readonly PlannedChange[]> {
    const planned = await this.#run('plan', '-input=false', `-out=${planFile}`, '-lock=false');
    if (!planned.ok) throw new Error(complaints(planned.output));
    const { ok, output } = await this.#run('show', '-json', planFile);
    if (!ok) throw new Error(output);
    const { resource_changes: changes = [] } = JSON.parse(output) as {
      readonly resource_changes?: readonly {
        readonly address: string;
        readonly change: { readonly actions: string[] };
      }[];
    };
    return changes
      .map(({ address, change }) => ({ address, actions: change.actions }))
      .filter(({ actions }) => !actions.every((action) => inert.has(action)));
  }

  /** Exit code of a plan: true when nothing is to be done. Throws with Terraform's words. */
  async isSettled(): Promise<boolean> {
    const { ok, output } = await this.#run('plan', '-input=false', '-detailed-exitcode', '-lock=false');
    if (ok) return true;
    if (/^Plan: |^Changes to Outputs/m.test(output)) return false;
    throw new Error(complaints(output));
  }

  destroy(): Promise<Outcome> {
    return this.#run('destroy', '-auto-approve', '-input=false', '-parallelism=30');
  }

  async outputs(): Promise<Readonly<Record<string, unknown>>> {
    const { ok, output } = await this.#run('output', '-json');
    if (!ok) throw new Error(output);
    const read = JSON.parse(output) as Readonly<Record<string, { readonly value: unknown }>>;
    return Object.fromEntries(Object.entries(read).map(([name, { value }]) => [name, value]));
  }

  remove(): Promise<void> {
    return rm(this.#setting.directory, { recursive: true, force: true });
  }

  #run(command: string, ...args: string[]): Promise<Outcome> {
    const { directory, environment } = this.#setting;
    const env = {
      ...process.env,
      ...{ TF_IN_AUTOMATION: '1', CHECKPOINT_DISABLE: '1', TF_CLI_CONFIG_FILE: join(directory, 'terraform.rc') },
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
