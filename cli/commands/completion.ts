/** `kubeloom completion bash|zsh|fish`: a script for the shell, so that Tab completes our command lines. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Argument, type Command } from 'commander';
import { CliError, exitCodes } from '../exit-codes.ts';
import { print } from '../print/output.ts';

/** Each asks the program for the words that may follow, so that a script never becomes outdated. */
const scripts = {
  bash: `_kubeloom() {
  local IFS=$'\\n'
  COMPREPLY=($(kubeloom __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _kubeloom kubeloom
`,
  zsh: `#compdef kubeloom
_kubeloom() {
  local -a found
  found=(\${(f)"$(kubeloom __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -a found; else _files; fi
}
compdef _kubeloom kubeloom
`,
  fish: `function __kubeloom_complete
  set -l words (commandline -opc) (commandline -ct | string collect --allow-empty)
  kubeloom __complete $words[2..-1] 2>/dev/null
end
complete -c kubeloom -a '(__kubeloom_complete)'
`,
} as const;

export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .description('print the completion script of a shell; it also completes names of manifests and clusters')
    .addArgument(new Argument('[shell]', 'which shell; without it, yours').choices(Object.keys(scripts)))
    .option(
      '--install',
      "write it where the shell finds it, in your home, and show the shell's own line if one is missing",
    )
    .action((named: string | undefined, { install }: { readonly install?: boolean }) => {
      const shell = shellOf(named ?? basename(process.env.SHELL ?? ''));
      if (!install) {
        process.stdout.write(scripts[shell]);
        return;
      }
      const { file, hint } = places[shell]();
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, scripts[shell]);
      print(`${file} is written: ${hint}`);
    });
}

type Shell = keyof typeof scripts;

function shellOf(name: string): Shell {
  for (const shell of Object.keys(scripts) as Shell[]) if (shell === name) return shell;
  throw new CliError(
    `there is no completion for ${name || 'this shell'}: name ${Object.keys(scripts).join(', ')}`,
    exitCodes.usage,
  );
}

/** Where each shell looks for scripts of a user. */
const places = {
  bash: () => ({
    file: join(process.env.XDG_DATA_HOME || join(homedir(), '.local/share'), 'bash-completion/completions/kubeloom'),
    hint: 'new shells use it, if the package bash-completion is installed',
  }),
  zsh: () => ({
    file: join(process.env.ZDOTDIR || homedir(), '.zfunc/_kubeloom'),
    hint: 'new shells use it, if ~/.zshrc has `fpath+=~/.zfunc` before `compinit`',
  }),
  fish: () => ({
    file: join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'fish/completions/kubeloom.fish'),
    hint: 'new shells use it',
  }),
} satisfies Record<Shell, () => { readonly file: string; readonly hint: string }>;
