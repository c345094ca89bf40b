#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs rdma-core's own test suite on one device, in a guest.

usage: run.py --dev NAME --gid INDEX

The file "inapplicable" beside this one names the tests that cannot work on the
device and why: those must skip themselves or fail, all others must pass.  With
a "~" before the name a test may do either, because it draws lots.  One line per
test: "ok", "skip" or "FAIL", its name, and for "skip" the reason.
"""
import fnmatch
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.join(HERE, 'tests')


def read_inapplicable():
    """A pattern over test names, the reason, and whether it may pass, each."""
    with open(os.path.join(HERE, 'inapplicable'), encoding='utf-8') as lines:
        pairs = [line.split(None, 1) for line in lines if line.strip() and not line.startswith('#')]
    return [(pattern.lstrip('~'), why.strip(), pattern.startswith('~')) for pattern, why in pairs]


class Result(unittest.TestResult):
    """Prints what came of each test, as wanted or not."""

    def __init__(self, inapplicable):
        super().__init__()
        self.inapplicable = inapplicable
        self.unused = {entry[0] for entry in inapplicable}
        self.failed = False

    def reason(self, test):
        """The reason and whether the test may pass; neither if it must."""
        for pattern, why, may_pass in self.inapplicable:
            if fnmatch.fnmatchcase(test.id(), pattern):
                self.unused.discard(pattern)
                return why, may_pass
        return None, True

    def bad(self, test, text):
        self.failed = True
        print(f'FAIL {test.id()}')
        print('\n'.join('     ' + line for line in text.splitlines()[-20:]), flush=True)

    def addSuccess(self, test):
        _, may_pass = self.reason(test)
        if may_pass:
            print(f'ok   {test.id()}', flush=True)
        else:
            self.bad(test, 'it passes, but the file "inapplicable" names it')

    def addSkip(self, test, reason):
        why, _ = self.reason(test)
        if why:
            print(f'skip {test.id()}: {why}', flush=True)
        else:
            self.bad(test, f'skipped itself: {reason}')

    def addError(self, test, err):
        why, _ = self.reason(test)
        if why:
            print(f'skip {test.id()}: {why}', flush=True)
        else:
            self.bad(test, self._exc_info_to_string(err, test))

    addFailure = addError


def use_netdev_of_gid(base):
    """The suite looks for the network device below the RDMA device's own PCI
    function; here it is another function."""

    def add(self, dev, port, index):
        path = f'/sys/class/infiniband/{dev}/ports/{port}/gid_attrs/ndevs/{index}'
        with open(path, encoding='ascii') as name:
            self.args.append([dev, port, index, *self.get_ip_mac_address(name.read().strip())])

    base.RDMATestCase._get_ip_mac = add


def load(result):
    """All test modules but those of which no test applies."""
    suite = unittest.TestSuite()
    for name in sorted(os.listdir(SUITE)):
        module = 'tests.' + name[:-3]
        if not name.startswith('test_') or not name.endswith('.py'):
            continue
        whole = {p for p, _, _ in result.inapplicable if fnmatch.fnmatchcase(module + '.*', p)}
        if whole:
            result.unused -= whole
            continue
        suite.addTests(unittest.defaultTestLoader.loadTestsFromName(module))
    return suite


def main():
    sys.path[:0] = [SUITE, HERE]
    # the suite's __init__ would import all modules, also those of other vendors
    package = type(sys)('tests')
    package.__path__ = [SUITE]
    sys.modules['tests'] = package
    from args_parser import parser
    parser.parse_args()
    from tests import base
    use_netdev_of_gid(base)
    result = Result(read_inapplicable())
    load(result).run(result)
    for pattern in sorted(result.unused):
        print(f'FAIL inapplicable: no test is named {pattern}')
        result.failed = True
    return 1 if result.failed else 0


if __name__ == '__main__':
    sys.exit(main())
