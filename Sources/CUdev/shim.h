#pragma once
#include <libudev.h>
// udev grants access to the person at the seat by an ACL, which is an extended attribute of the node.
#include <sys/xattr.h>
