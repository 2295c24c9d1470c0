// The first import of every entry of the package: what comes behind it has syntax that an older Node calls a SyntaxError.
/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-member-access -- no types here */
const wantedMajor = 24;
if (Number.parseInt(process.versions.node, 10) < wantedMajor)
  throw new Error(
    `caisson needs Node ${wantedMajor} or newer, and this is Node ${process.versions.node} (${process.execPath}); ` +
      `install Node ${wantedMajor}, or npm install node@${wantedMajor} beside caisson and start the program by npx node`,
  );
