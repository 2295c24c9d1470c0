/** Which variables change what a program runs. One list for `NAME=value command` and for variables of a request. Pure. */

/** Whole families, since a program reads names that no list knows: a program to run, a place of its options, or both. */
const families: readonly RegExp[] = [
  /^(?:PATH|HOME|SHELL|CONFIG_SHELL|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|BASH_LOADABLES_PATH)$/,
  /^(?:LD|DYLD|XDG|GIT|BASH_FUNC|RSYNC|RUSTC|CGO)_/,
  /(?:PAGER|EDITOR|ASKPASS|_RSH|_SSH)$/,
  /^(?:VISUAL|BROWSER|GH_BROWSER|FCEDIT|LESSOPEN|LESSCLOSE)$/,
  /^(?:MAKE|MAKEFLAGS|MAKEFILES|GNUMAKEFLAGS|MFLAGS|AM_MAKEFLAGS)$/,
  /^(?:HOST_?|BUILD_?|TARGET_?)?(?:CC|CXX|CPP|FC|F77|LD|AR|AS|NM|RANLIB|OBJCOPY|STRIP)$/,
  /^(?:RUSTC|RUSTDOC|GOFLAGS|GCC_EXEC_PREFIX|COMPILER_PATH|CCACHE_PREFIX|AWKPATH|AWKLIBPATH|LUA_C?PATH|GCONV_PATH)$/,
  /^(?:PYTHONSTARTUP|PYTHONUSERBASE|PERL5OPT|PERL5DB|RUBYOPT|MAVEN_OPTS|GRADLE_OPTS|BUNDLE_GEMFILE|OPENSSL_ENGINES)$/,
  /^(?:NPM_CONFIG_SCRIPT_SHELL|CURL_HOME|LESSKEYIN|WGETRC)$/i,
  /^(?!(?:\w*_)?SRC$)\w*RC$/,
  /_CONFIG(?:_\w+)?$/,
];

/** Members of a family that are only data. */
const data =
  /^(?:GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|TERMINAL_PROMPT|OPTIONAL_LOCKS|LFS_SKIP_SMUDGE|MERGE_AUTOEDIT|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|ADVICE|FLUSH|NO_LAZY_FETCH|NO_REPLACE_OBJECTS)|XDG_(?:SESSION_(?:ID|TYPE|CLASS|DESKTOP)|CURRENT_DESKTOP|SEAT|VTNR)|CGO_ENABLED)$/;

const shows = /(?:PAGER|EDITOR|VISUAL|BROWSER|FCEDIT|LESSOPEN|LESSCLOSE)$/;
const connects = /^(?:RSYNC_RSH|SVN_SSH|CVS_RSH|BORG_RSH)$/;
const compiles = /^(?:HOST_?|BUILD_?|TARGET_?)?(?:CC|CXX|CPP|FC|F77|LD|AR|AS|NM|RANLIB|OBJCOPY|STRIP)$|^RUST(?:C|DOC)$/;

/** Whether it is a usual pager or editor, or none. */
export const shownBy = (value: string): boolean =>
  /^(?:|cat|less(?: -\w+)?|more|true|:|vim?|nvim|nano|emacs|code --wait|store|cache|osxkeychain|manager)$/.test(value);

export const logsIn = (value: string): boolean => /^(?:\S*\/)?ssh(?: |$)/.test(value) && !/Command/i.test(value);

/** A compiler or a tool of one by its usual name, of any target and version, found by the search path. */
const compiler =
  /^(?:s?ccache )?(?:[\w.]+-)*(?:gcc|g\+\+|cc|c\+\+|cpp|clang|clang\+\+|gfortran|flang|ld|lld|mold|gold|ar|as|nm|ranlib|objcopy|strip|rustc|rustdoc|icx|nvcc)(?:-[\d.]+)?$/;
const jobs = /^(?:\s*-{0,2}(?:[jl]\s*\d*|[knsiwB]+|jobs=\d+|no-print-directory))*\s*$/;
const defaultShell = /^(?:\/usr)?\/bin\/(?:sh|bash|dash|zsh|ksh|fish|ash)$/;

/** Whether a command with this variable may run something that its words do not say. */
export function takesOver(name: string, value: string, program: string): boolean {
  // The search path of a whole script is set up in most of them; in front of one command it is meant for that command.
  if (name === 'PATH' && /^(?:export|declare|typeset|local|readonly)$/.test(program)) return false;
  if (name === 'IFS') return !/^(?:read|mapfile|readarray)?$/.test(program);
  if (name === 'NODE_OPTIONS') return /(?:^|\s)(?:-r|--require|--import|--(?:experimental-)?loader)\b/.test(value);
  if (data.test(name) || !families.some((family) => family.test(name))) return false;
  return !isUsual(name, value);
}

function isUsual(name: string, value: string): boolean {
  if (shows.test(name)) return shownBy(value);
  if (connects.test(name)) return logsIn(value);
  if (compiles.test(name)) return compiler.test(value);
  if (/FLAGS$/.test(name) && name !== 'GOFLAGS') return jobs.test(value);
  return name === 'SHELL' && defaultShell.test(value);
}
