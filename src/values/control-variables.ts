/**
 * Names of environment variables that only the operator's own host may set.
 * Compared without regard to case: curl, npm and others read lower-case forms of theirs too.
 */

/** They turn an ordinary command into another one: loaders, start-up files, options, editors, proxies. */
const control = [
  ...['LD_*', 'DYLD_*', 'GLIBC_TUNABLES', 'GCONV_PATH', 'LOCPATH', 'MALLOC_*'],
  ...[
    'BASH_ENV',
    'BASH_FUNC_*',
    'ENV',
    'SHELLOPTS',
    'BASHOPTS',
    'PS0',
    'PS4',
    'BASH_LOADABLES_PATH',
    'PROMPT_COMMAND',
    'IFS',
    'CDPATH',
    'GLOBIGNORE',
    'ZDOTDIR',
  ],
  ...[
    'NODE_OPTIONS',
    'NODE_PATH',
    'PYTHONSTARTUP',
    'PYTHONPATH',
    'PYTHONHOME',
    'PERL5OPT',
    'PERL5LIB',
    'PERL5DB',
    'PERL5SHELL',
    'PYTHONBREAKPOINT',
    'LUA_INIT*',
    'DOTNET_STARTUP_HOOKS',
    'RUBYOPT',
    'RUBYLIB',
  ],
  ...['JAVA_TOOL_OPTIONS', '_JAVA_OPTIONS', 'JDK_JAVA_OPTIONS'],
  ...[
    'GIT_SSH',
    'GIT_SSH_COMMAND',
    'GIT_EXTERNAL_DIFF',
    'GIT_CONFIG',
    'GIT_CONFIG_*',
    'GIT_PAGER',
    'GIT_EDITOR',
    'GIT_SEQUENCE_EDITOR',
    'SVN_SSH',
    'RSYNC_RSH',
    'GIT_ASKPASS',
    'GIT_PROXY_COMMAND',
    'GIT_EXEC_PATH',
    'GIT_TEMPLATE_DIR',
  ],
  ...[
    'PAGER',
    'EDITOR',
    'VISUAL',
    'LESSOPEN',
    'LESSCLOSE',
    'VIMINIT',
    'EXINIT',
    'OPENSSL_CONF',
    'MANPAGER',
    'BROWSER',
    'SSH_ASKPASS',
    'SUDO_ASKPASS',
  ],
  ...['NPM_CONFIG_*', 'PIP_*', 'CARGO_*', 'RUSTC_WRAPPER', 'TAR_OPTIONS', 'RIPGREP_CONFIG_PATH'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'FTP_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

/** They lead to the host, its engine, its keys, or to Caisson itself. */
const infrastructure = [
  ...['CAISSON_*', 'HERMES_*'],
  ...['DOCKER_*', 'CONTAINER_HOST', 'CONTAINERD_*', 'BUILDKIT_*', 'KUBECONFIG'],
  ...[
    'SSH_AUTH_SOCK',
    'SSH_AGENT_PID',
    'SSH_CONNECTION',
    'GPG_AGENT_INFO',
    'DBUS_SESSION_BUS_ADDRESS',
    'XDG_RUNTIME_DIR',
  ],
  ...['MODAL_TOKEN_*', 'DAYTONA_API_KEY', 'DAYTONA_JWT_TOKEN', 'SUDO_PASSWORD', 'GATEWAY_*', 'AUXILIARY_*'],
  // Keys of the agent's own model and channels: a command with them speaks as the agent. Who really wants one inside sets
  // it for the command, under its own name.
  ...[
    'OPENAI_API_KEY',
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'OPENROUTER_*',
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
  ],
  ...['XAI_API_KEY', 'GROQ_API_KEY', 'MISTRAL_API_KEY', 'DEEPSEEK_API_KEY', 'AZURE_OPENAI_*', 'COHERE_API_KEY'],
  ...['TELEGRAM_BOT_TOKEN', 'DISCORD_BOT_TOKEN', 'SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'WHATSAPP_*', 'SIGNAL_*'],
];

export function isControlVariable(name: string): boolean {
  return control.some((pattern) => covers(pattern, name));
}

/** Who may talk to the agent; one for each platform, whatever it is called. */
const whoMayTalk = /_(?:ALLOWED_USERS|ALLOW_ALL_USERS)$/i;

export function isInfrastructureVariable(name: string): boolean {
  return whoMayTalk.test(name) || infrastructure.some((pattern) => covers(pattern, name));
}

/** A pattern is a name, or the start of one followed by `*`. */
function covers(pattern: string, name: string): boolean {
  const upper = name.toUpperCase();
  return pattern.endsWith('*') ? upper.startsWith(pattern.slice(0, -1)) : upper === pattern;
}
