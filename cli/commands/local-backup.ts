/** `kubeloom local backup|restore`: the whole state of the platform, in one encrypted file. */
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { CliError, exitCodes } from '../exit-codes.ts';
import { paint, print } from '../output.ts';
import { kubeloomHome } from '../own-files.ts';

interface BackupFlags {
  readonly passphraseFile?: string;
}

const passphraseFlag = [
  '--passphrase-file <file>',
  'file with the passphrase in its first line; else KUBELOOM_BACKUP_PASSPHRASE',
] as const;

export function registerLocalBackup(local: Command): void {
  local
    .command('backup')
    .description('write the whole state of the platform into an encrypted file; the platform must be down')
    .argument('<file>', 'a new file')
    .option(...passphraseFlag)
    .action(async (file: string, flags: BackupFlags) => {
      const passphrase = await passphraseOf(flags);
      const { backUp } = await import('#local/backup/backup.ts');
      await backUp({ dataDir: kubeloomHome(), file, passphrase }).catch(asSentence);
      print(`${paint('green', 'backed up')}  ${kubeloomHome()} → ${file}`);
      print('it contains secrets: without the passphrase no one can open it, not even you');
    });
  local
    .command('restore')
    .description('restore a backup where there is no platform yet')
    .argument('<file>', 'what `local backup` wrote')
    .option(...passphraseFlag)
    .action(async (file: string, flags: BackupFlags) => {
      const passphrase = await passphraseOf(flags);
      const { restore } = await import('#local/backup/backup.ts');
      await restore({ dataDir: kubeloomHome(), file, passphrase }).catch(asSentence);
      print(`${paint('green', 'restored')}  ${file} → ${kubeloomHome()}`);
      print(
        'next: kubeloom local up, then kubeloom plan NAMESPACE/NAME of every manifest: none should change anything',
      );
    });
}

const shortest = 12;

async function passphraseOf({ passphraseFile }: BackupFlags): Promise<string> {
  const text =
    passphraseFile === undefined
      ? process.env.KUBELOOM_BACKUP_PASSPHRASE
      : await readFile(passphraseFile, 'utf8').catch((cause: unknown) => {
          throw new CliError(`${passphraseFile} cannot be read`, exitCodes.usage, { cause });
        });
  const passphrase = text?.split('\n')[0]?.trim() ?? '';
  if (passphrase.length >= shortest) return passphrase;
  const what =
    passphrase === '' ? 'a backup needs a passphrase' : `the passphrase is shorter than ${shortest} characters`;
  throw new CliError(`${what}: set KUBELOOM_BACKUP_PASSPHRASE, or use --passphrase-file FILE`, exitCodes.usage);
}

function asSentence(error: unknown): never {
  throw new CliError(error instanceof Error ? error.message : String(error), exitCodes.fault, { cause: error });
}
