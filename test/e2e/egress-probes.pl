# Attempts to get out of a sandbox, one for each argument, `KIND VALUE...`; what became of each is a line of its own. They need
# nothing but the perl-base of Debian. The tests run it on the host too, where the same attempts succeed.
use strict;
use warnings;
use Socket qw(:DEFAULT :addrinfo SOCK_RAW IPPROTO_ICMP IPPROTO_TCP);

my $patience = 2;

sub end_of {
    my ($attempt) = @_;
    my $said = eval {
        local $SIG{ALRM} = sub { die "nothing came\n" };
        alarm $patience;
        my $said = $attempt->();
        alarm 0;
        $said;
    };
    alarm 0;
    my $end = defined $said ? $said : $@;
    $end =~ s/\s+/ /g;
    $end =~ s/ $//;
    return $end;
}

sub must { my ($done) = @_; die "$!\n" unless $done; return $done }

sub address_of {
    my ($address, $port) = @_;
    my ($problem, $found) = getaddrinfo($address, $port, { flags => AI_NUMERICHOST, socktype => SOCK_STREAM });
    die "$problem\n" if $problem;
    return ($found->{family}, $found->{addr});
}

sub first_bytes {
    my ($socket) = @_;
    my $read = sysread $socket, my $bytes, 100;
    must(defined $read);
    return $read == 0 ? 'closed' : "answered $bytes";
}

sub tcp {
    my ($address, $port, $device) = @_;
    my ($family, $to) = address_of($address, $port);
    must(socket my $socket, $family, SOCK_STREAM, 0);
    must(setsockopt $socket, SOL_SOCKET, 25, "$device\0") if defined $device;
    must(connect $socket, $to);
    return first_bytes($socket);
}

sub udp {
    my ($address, $port) = @_;
    my ($family, $to) = address_of($address, $port);
    must(socket my $socket, $family, SOCK_DGRAM, 0);
    must(connect $socket, $to);
    must(defined send $socket, 'probe', 0);
    return first_bytes($socket);
}

sub question {
    my ($name) = @_;
    return pack('n6', 7, 0x0100, 1, 0, 0, 0) . join('', map { pack('C/a*', $_) } split /\./, $name) . pack('C n n', 0, 1, 1);
}

# Of the resolver at an address, around all that the system has for it.
sub dns {
    my ($address, $name) = @_;
    my ($family, $to) = address_of($address, 53);
    must(socket my $socket, $family, SOCK_DGRAM, 0);
    must(connect $socket, $to);
    must(defined send $socket, question($name), 0);
    my $read = sysread $socket, my $bytes, 1500;
    must(defined $read);
    return 'answered';
}

sub name {
    my ($name) = @_;
    my ($problem, @found) = getaddrinfo($name, 80, { socktype => SOCK_STREAM });
    die "$problem\n" if $problem;
    return 'answered ' . join ' ', map { (getnameinfo($_->{addr}, NI_NUMERICHOST, NIx_NOSERV))[1] } @found;
}

sub echo_request { my $sum = ~(0x0800 + 1 + 1) & 0xffff; return pack 'C2 n3', 8, 0, $sum, 1, 1 }

sub icmp {
    my ($type, $address) = @_;
    my ($family, $to) = address_of($address, 0);
    must(socket my $socket, $family, $type, IPPROTO_ICMP);
    must(defined send $socket, echo_request(), 0, $to);
    must(defined recv $socket, my $bytes, 1500, 0);
    return 'answered';
}

sub packet {
    must(socket my $socket, 17, SOCK_RAW, 0x0300);
    return 'opened';
}

sub raw_tcp {
    my ($address) = @_;
    my ($family, $to) = address_of($address, 0);
    must(socket my $socket, $family, SOCK_RAW, IPPROTO_TCP);
    must(defined send $socket, 'x' x 20, 0, $to);
    return 'sent';
}

# Of a virtual machine, with the machine that runs it: no network namespace holds it back.
sub vsock {
    my ($context, $port) = @_;
    must(socket my $socket, 40, SOCK_STREAM, 0);
    must(connect $socket, pack('S S L L x4', 40, 0, $port, $context));
    return 'connected';
}

sub unix {
    my ($at) = @_;
    must(socket my $socket, AF_UNIX, SOCK_STREAM, 0);
    must(connect $socket, $at);
    return first_bytes($socket);
}

sub tunnel_device {
    must(open my $file, '+<', '/dev/net/tun');
    return 'opened';
}

# Listens until it is killed; says so by its output.
sub listens {
    my ($port) = @_;
    my @sockets;
    for my $family (AF_INET, AF_INET6) {
        socket my $socket, $family, SOCK_STREAM, 0 or next;
        setsockopt $socket, SOL_SOCKET, SO_REUSEADDR, 1;
        setsockopt $socket, 41, 26, 1 if $family == AF_INET6;
        my $any = $family == AF_INET ? sockaddr_in($port, INADDR_ANY) : pack_sockaddr_in6($port, "\0" x 16);
        bind $socket, $any and listen $socket, 8 and push @sockets, $socket;
    }
    must(socket my $unix, AF_UNIX, SOCK_STREAM, 0);
    must(bind $unix, pack('S a*', AF_UNIX, "\0inside-$port"));
    must(listen $unix, 8);
    push @sockets, $unix;
    $| = 1;
    print scalar(@sockets), " listeners\n";
    my $wanted = '';
    vec($wanted, fileno $_, 1) = 1 for @sockets;
    while (select(my $ready = $wanted, undef, undef, undef)) {
        for my $socket (grep { vec $ready, fileno $_, 1 } @sockets) {
            accept my $client, $socket or next;
            syswrite $client, 'from inside';
        }
    }
    return 'over';
}

sub door_part { my ($part) = @_; return $part =~ /^fill(\d+)$/ ? 'x' x $1 : pack 'H*', $part }

# What the door answers: the status of each answer, whether TLS came behind, and the end of all that came. A part is sent when the
# one before was answered.
sub door {
    my (@parts) = @_;
    my ($family, $to) = address_of('127.0.0.1', 3128);
    must(socket my $socket, $family, SOCK_STREAM, 0);
    must(connect $socket, $to);
    my ($all, $wanted) = ('', '');
    vec($wanted, fileno $socket, 1) = 1;
    for (my $waits = 0; ; $waits = length $all ? 1 : 15) {
        if ($waits == 0 || ($all =~ /\r\n\r\n/ && @parts)) {
            my $now = join '', map { door_part($_) } split /,/, shift(@parts) // '';
            # One that has answered already may read no more.
            syswrite $socket, $now;
        }
        last unless select my $ready = $wanted, undef, undef, $waits || 15;
        last unless sysread $socket, $all, 65536, length $all;
    }
    my @said = $all =~ /HTTP\/1\.1 (\d+) /g;
    push @said, 'tls' if $all =~ /\r\n\r\n\x16\x03/;
    push @said, $1 if $all =~ /(from the [\w ]+)/;
    return join ' ', @said;
}

my %kinds = (
    tcp => \&tcp,
    device => sub { my ($device, @to) = @_; tcp(@to, $device) },
    udp => \&udp,
    dns => \&dns,
    name => \&name,
    ping => sub { icmp(SOCK_DGRAM, @_) },
    raw => sub { icmp(SOCK_RAW, @_) },
    rawtcp => \&raw_tcp,
    packet => \&packet,
    vsock => \&vsock,
    unix => sub { unix(pack 'S a*', AF_UNIX, "\0$_[0]") },
    path => sub { unix(pack_sockaddr_un($_[0])) },
    tun => \&tunnel_device,
    door => sub { alarm($patience = 0); local $SIG{PIPE} = 'IGNORE'; door(@_) },
    pause => sub { alarm 0; select undef, undef, undef, $_[0]; return 'over' },
    listen => sub { alarm($patience = 0); listens(@_) },
);

for my $probe (@ARGV) {
    my ($kind, @values) = split / /, $probe;
    print "$probe\t", end_of(sub { $kinds{$kind}->(@values) }), "\n";
}
