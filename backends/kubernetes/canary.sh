#!/bin/sh
# listen PORT TOKEN: answers each connection with the token, as the first process of a canary.
# reach PORT TOKEN ADDRESS: 0 when the token comes from there, 1 when it does not, 3 when the image has no program that connects.
# What the image has does it. Only the token counts: a proxy on the way may take every connection.
cz_has() {
  case $1 in
    perl) perl -MSocket=getaddrinfo -e 1 ;;
    python3) python3 -c 'import socket; socket.has_dualstack_ipv6' ;;
    node) node -e 'require("net")' ;;
    *) command -v "$1" ;;
  esac >/dev/null 2>&1
}
# shellcheck disable=SC2016 # Programs of other languages.
cz_listen() {
  case $1 in
    perl)
      exec perl -MSocket=:all -e '
        my ($port, $token) = @ARGV;
        $SIG{PIPE} = "IGNORE";
        my $server;
        for my $six (1, 0) {
          socket($server, $six ? AF_INET6 : AF_INET, SOCK_STREAM, 0) or next;
          setsockopt($server, IPPROTO_IPV6, IPV6_V6ONLY, pack("i", 0)) if $six;
          my $any = $six ? pack_sockaddr_in6($port, IN6ADDR_ANY) : pack_sockaddr_in($port, INADDR_ANY);
          last if bind($server, $any) && listen($server, 16);
        }
        for (;;) {
          accept(my $client, $server) or exit 1;
          syswrite $client, "$token\n";
          close $client;
        }' "$2" "$3"
      ;;
    python3)
      exec python3 -c '
        import socket, sys
        both = socket.has_dualstack_ipv6()
        family = socket.AF_INET6 if both else socket.AF_INET
        server = socket.create_server(("", int(sys.argv[1])), family=family, dualstack_ipv6=both)
        text = (sys.argv[2] + "\n").encode()
        while True: client = server.accept()[0]; client.sendall(text); client.close()' "$2" "$3"
      ;;
    node)
      exec node -e '
        const [port, token] = process.argv.slice(1);
        const answer = (client) => client.on("error", () => {}).end(`${token}\n`);
        require("net").createServer(answer).listen(Number(port));' "$2" "$3"
      ;;
    nc) while :; do echo "$3" | nc -l -p "$2" || sleep 1; done ;;
  esac
}
# shellcheck disable=SC2016 # Programs of other languages.
cz_read() {
  case $1 in
    perl)
      perl -MSocket=:all -e '
        my ($port, $address) = @ARGV;
        alarm 2;
        my ($failed, $found) = getaddrinfo($address, $port, {socktype => SOCK_STREAM, flags => AI_NUMERICHOST});
        exit 1 if $failed;
        socket(my $server, $found->{family}, SOCK_STREAM, 0) or exit 1;
        connect($server, $found->{addr}) or exit 1;
        print while <$server>;' "$2" "$3"
      ;;
    python3)
      python3 -c '
        import socket, sys
        server = socket.create_connection((sys.argv[2], int(sys.argv[1])), 2)
        print(server.makefile().readline(), end="")' "$2" "$3"
      ;;
    node)
      node -e '
        const [port, host] = process.argv.slice(1);
        const server = require("net").connect({ port: Number(port), host });
        server.on("error", () => process.exit(1)).pipe(process.stdout);
        setTimeout(() => process.exit(1), 2000).unref();' "$2" "$3"
      ;;
    nc) nc -w 2 "$3" "$2" </dev/null ;;
    bash) timeout 2 bash -c 'exec <"/dev/tcp/$2/$1" && read -r line && echo "$line"' bash "$2" "$3" ;;
  esac 2>/dev/null
}
case $1 in
  listen)
    for cz_p in perl python3 node nc; do
      cz_has "$cz_p" || continue
      cz_listen "$cz_p" "$2" "$3"
    done
    # The pod stays, so that it is the look at its answer which says that none comes.
    exec sleep 600
    ;;
  reach)
    for cz_p in perl python3 node nc bash; do
      cz_has "$cz_p" || continue
      [ "$(cz_read "$cz_p" "$2" "$4")" = "$3" ]
      exit
    done
    exit 3
    ;;
esac
