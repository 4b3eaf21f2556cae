"""Streamed output of kernels: formatted text and packets of a pipe.  The order of work-items is unspecified
in both, so text is compared by work-item and packets are sorted."""
from expressions import INTEGERS, Type, WIDTHS

PACKETS = 256 # room in the pipe

LENGTHS = {'char': 'hh', 'uchar': 'hh', 'short': 'h', 'ushort': 'h', 'int': '', 'uint': '', 'long': 'l', 'ulong': 'l'}


def prelude():
    """PIPE is the parameter; PUT writes one packet, PUT_ALL one from each work-item of the group.  Without
    pipes they are an array, whose first element counts the packets."""
    return '\n'.join([
        '#ifdef REAL', '#define PIPE write_only pipe ulong2',
        '#define PUT(p, x) { ulong2 packet = x; write_pipe(p, &packet); }',
        '#define PUT_TWO(p, x, y) { ulong2 packet = x; reserve_id_t id = reserve_write_pipe(p, 2); '
        'if (is_valid_reserve_id(id)) { write_pipe(p, id, 1, &packet); packet = y; write_pipe(p, id, 0, &packet); '
        'commit_write_pipe(p, id); } }',
        '#define PUT_ALL(group, n, at, p, x) { ulong2 packet = x; reserve_id_t id = group##_reserve_write_pipe(p, n); '
        'if (is_valid_reserve_id(id)) write_pipe(p, id, at, &packet); group##_commit_write_pipe(p, id); }',
        '#define PACKETS_OF(p) get_pipe_max_packets(p)',
        '#else', '#define PIPE global ulong2 *',
        '#define PUT(p, x) { p[1 + atomic_inc((volatile global int *)p)] = x; }',
        '#define PUT_TWO(p, x, y) { PUT(p, x) PUT(p, y) }',
        '#define PUT_ALL(group, n, at, p, x) PUT(p, x)',
        f'#define PACKETS_OF(p) {PACKETS}u', '#endif']) + '\n'


# How a separate kernel empties the pipe into an array whose first element counts the packets.
DRAINS = [
    'ulong2 x; while (read_pipe(p, &x) == 0) out[1 + atomic_inc((volatile global int *)out)] = x;',
    'ulong2 x; for (reserve_id_t id = reserve_read_pipe(p, 2); is_valid_reserve_id(id); id = reserve_read_pipe(p, 2)) { '
    'for (uint i = 0; i < 2; i++) { read_pipe(p, id, i, &x); out[1 + atomic_inc((volatile global int *)out)] = x; } commit_read_pipe(p, id); } '
    'while (read_pipe(p, &x) == 0) out[1 + atomic_inc((volatile global int *)out)] = x;',
    'ulong2 x; uint n = get_local_size(0); '
    'for (reserve_id_t id = work_group_reserve_read_pipe(p, n); is_valid_reserve_id(id); id = work_group_reserve_read_pipe(p, n)) { '
    'read_pipe(p, id, n - 1 - get_local_id(0), &x); out[1 + atomic_inc((volatile global int *)out)] = x; work_group_commit_read_pipe(p, id); } '
    'while (read_pipe(p, &x) == 0) out[1 + atomic_inc((volatile global int *)out)] = x;']


class Streams:
    """Statements of a kernel."""

    def __init__(self):
        self.sites = self.sent = 0

    def passed(self, base, n):
        """A type that PoCL prints correctly: not 16 elements of 64 bits."""
        t = Type(base, n)
        return t if t.bits * n < 1024 else t.wide(8)

    def conversion(self):
        """A conversion specification and its argument [CLC 6.15.14]."""
        r = self.random
        how = r.randrange(8)
        if how == 0:
            return r.choice([('%c', f'(int)(({self.expression(Type("uchar"), 1)} & 31) + 64)'), ('%s', f'"{r.choice(["", "a", "text"])}"'),
                             ('%5s', '"right"'), ('%-7s', '"left"'), ('%.2s', '"cut"'), ('%%', None)])
        n = r.choice(WIDTHS[1:]) if self.chance(0.4) else 1
        vector = lambda t: f'v{t.n}' if t.n > 1 else ''
        width = r.choice(['', '', '1', '7', '20'])
        precision = r.choice(['', '', '.0', '.3', '.9'])
        if how < 5: # PoCL does not ignore a 0 beside a precision
            t = self.passed(r.choice(list(INTEGERS)), n)
            kind = r.choice('di') if t.is_signed else r.choice('uoxX')
            flags = ''.join(f for f in ('-+ 0' if t.is_signed else '-0#' if kind != 'u' else '-0') if self.chance(0.2)).replace('+ ', '+')
            flags = flags.replace('0', '') if precision else flags
            length = LENGTHS[t.base] or ('hl' if t.n > 1 else '')
            return f'%{flags}{width}{precision}{vector(t)}{length}{kind}', self.expression(t, 2)
        t = self.passed('float' if n == 1 else r.choice(['float', 'double']), n) # PoCL prints a double as a float
        flags = ''.join(f for f in '-+ 0#' if self.chance(0.2)).replace('+ ', '+')
        length = '' if t.n == 1 else 'hl' if t.base == 'float' else 'l'
        return f'%{flags}{width}{precision}{vector(t)}{length}{r.choice("fegEGF")}', self.no_nan(t, self.expression(t, 2))

    def printed(self):
        """A line of text that begins with the work-item."""
        parts = [self.conversion() for _ in range(self.random.randrange(1, 4))]
        text = '|'.join(p for p, _ in parts)
        arguments = ''.join(f', {a}' for _, a in parts if a is not None)
        self.sites += 1
        self.emit(f'printf("%u {self.sites}:{text}|\\n", gid{arguments});')

    def packet(self):
        """All packets differ."""
        t = self.any_type()
        self.sent += 1
        return f'(ulong2)(((ulong)gid << 32) + {self.sent}, {self.folded(t, self.expression(t, 1))})'

    def piped(self):
        """Packets; only at a point that every work-item reaches, so that their number has a bound."""
        r = self.random
        if self.sent + 2 > PACKETS // 32:
            return
        how = r.randrange(4)
        if how == 0:
            self.emit(f'if ({self.truth(1)}) PUT(p, {self.packet()})')
        elif how == 1:
            self.emit(f'if ({self.truth(1)}) PUT_TWO(p, {self.packet()}, {self.packet()})')
        elif how == 2:
            self.emit(f'PUT_ALL(work_group, get_local_size(0), lid, p, {self.packet()})')
        else:
            self.emit(f'PUT_ALL(sub_group, get_sub_group_size(), get_sub_group_local_id(), p, {self.packet()})')

    def drain(self):
        return f'#ifdef REAL\nkernel void {self.name}_drain(read_only pipe ulong2 p, global ulong2 *out)\n' \
               f'{{\n    {self.random.choice(DRAINS)}\n}}\n#endif\n'
