Domains and operations that are none of our business: silent, 0, nothing touched

$ echo '<domain><name>x</name><uuid>77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22</uuid></domain>' > x.xml
$ for op in prepare start started stopped release reconnect migrate restore attach new-one; do hook x $op begin - < x.xml || echo $op; done
$ for op in prepare start started stopped release reconnect migrate restore attach new-one; do real-hook x $op begin - < x.xml || echo $op; done
$ real-hook x prepare begin - < /dev/null
$ echo '<domain' | real-hook x prepare begin -
$ head -c 20000000 /dev/zero | real-hook x prepare begin -
$ ls -A
x.xml
# Our metadata, but an operation that filters: no output, for that would replace the XML.
$ fixture domain vm1 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 d0
$ real-hook vm1 migrate begin - < vm1.xml
$ real-hook vm1 restore begin - < vm1.xml
# Ours but far too long.
$ { cat vm1.xml; head -c 17000000 /dev/zero; } | real-hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': the domain XML is too long
[1]
# Somebody else's lease does not disturb a foreign domain, not even a damaged one.
$ fixture write run/pvrdma/leases/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json 'damaged'
$ real-hook x release end - < x.xml
$ real-hook x prepare begin - < x.xml
